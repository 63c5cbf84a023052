import { productSteps, stepNames } from './index.mjs';

/** In the order in which they are set up. */
const only = (names) => stepNames.filter((name) => names.includes(name));

export const codeSteps = only(['npm', 'typescript']);
/** For native code and models without a pipeline. */
export const nativeSteps = only(['npm', 'triton', 'typescript', 'native', 'python']);
/** For benches of the engine alone, whose backends only the tests' build has. */
const engineSteps = only(['npm', 'triton', 'typescript', 'native', 'native-tests']);

const stepsOfBench = {
  assignment: productSteps,
  console: productSteps,
  dataplane: engineSteps,
  load: productSteps,
  mdrp: productSteps,
  metrics: codeSteps,
  pipeline: productSteps,
  recovery: productSteps,
  reloads: productSteps,
  remote: only([...engineSteps, 'ucx']),
  routers: codeSteps,
  scheduling: codeSteps,
  soak: productSteps,
  solver: nativeSteps,
  stagger: productSteps,
};

/** What a bench needs: nothing that only tests or other benches do. */
export function benchSteps(name, args = []) {
  if (name === 'drill') return drillSteps(args);
  if (name === 'engine') return args.includes('--echo') ? engineSteps : nativeSteps;
  if (args.includes('--real')) return productSteps;
  return stepsOfBench[name] ?? stepNames;
}

/** Alerts are asked of a Prometheus beside the services. */
export function drillSteps(args = []) {
  if (args.includes('--list')) return codeSteps;
  return args.includes('--no-alerts') ? productSteps : only([...productSteps, 'prometheus']);
}

const checkSteps = only([...codeSteps, 'prometheus', 'helm', 'grafana']);

/** Each part of the tests that does without something; the others take everything. */
const stepsOfPart = {
  checks: checkSteps,
  scripts: checkSteps,
  native: only([...nativeSteps, 'native-tests', 'ucx']),
  // Builds of their own, against the core and the packages' headers.
  sanitizers: only(['npm', 'triton', 'ucx']),
  cuda: only(['npm', 'triton', 'ucx']),
};

/** What parts of the tests need together; without a name, all of them. */
export function testSteps(parts) {
  return parts.length === 0 ? stepNames : only(parts.flatMap((part) => stepsOfPart[part] ?? stepNames));
}

/** Only a run needs an engine, and only one without --direct a broker. */
export function replaySteps([command, ...args]) {
  if (command === 'import' || command === 'sweep') return only(['npm', 'typescript', 'native']);
  if (command === 'etr' && args.some((word) => word.includes('network'))) return nativeSteps;
  if (command !== 'run') return codeSteps;
  return args.includes('--direct') ? nativeSteps : productSteps;
}
