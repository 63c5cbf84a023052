import { brokerJars } from './broker-jars.mjs';
import { cudaCompiler } from './cuda-compiler.mjs';
import { grafanaSchema } from './grafana-schema.mjs';
import { helmProgram } from './helm.mjs';
import { kubernetesPrograms } from './kubernetes.mjs';
import { LiveLine } from './live-line.mjs';
import { withLock } from './lock.mjs';
import { nativeBuild, nativeTests } from './native-build.mjs';
import { npmPackages } from './npm-packages.mjs';
import { placesOf } from './places.mjs';
import { requirePlatform, requireTools } from './prerequisites.mjs';
import { prometheusPrograms } from './prometheus.mjs';
import { pythonBackend } from './python-backend.mjs';
import { redisServer } from './redis-server.mjs';
import { redisWithTls } from './redis-tls.mjs';
import { runSteps } from './run-steps.mjs';
import { tensorrtHeaders } from './tensorrt-headers.mjs';
import { testPackages } from './test-packages.mjs';
import { tritonCore } from './triton-core.mjs';
import { typescriptBuild } from './typescript-build.mjs';
import { ucxLibrary } from './ucx.mjs';

/** In the order they are listed to the user; a step is listed after those it needs. */
const makers = {
  npm: npmPackages,
  kafka: brokerJars,
  redis: redisServer,
  triton: tritonCore,
  ucx: ucxLibrary,
  typescript: typescriptBuild,
  native: nativeBuild,
  'native-tests': nativeTests,
  python: pythonBackend,
  'test-packages': testPackages,
  prometheus: prometheusPrograms,
  helm: helmProgram,
  grafana: grafanaSchema,
  'redis-tls': redisWithTls,
};

export const stepNames = Object.keys(makers);

/** Only where they are asked for by name. */
const optionalMakers = { cuda: cudaCompiler, tensorrt: tensorrtHeaders, kubernetes: kubernetesPrograms };
export const optionalStepNames = Object.keys(optionalMakers);

/** What a pipeline on one machine needs: everything but what only tests and other workers' engines do. */
const notOfProduct = ['native-tests', 'test-packages', 'prometheus', 'helm', 'grafana', 'redis-tls', 'ucx'];
export const productSteps = stepNames.filter((name) => !notOfProduct.includes(name));

/**
 * Sets up what is missing; resolves to the number of steps that ran. A look costs no lock and no network.
 * @param {{ only?: string[], live?: LiveLine, places?: object }} options
 */
export async function setUp({ only = stepNames, live = new LiveLine(), places = placesOf() } = {}) {
  const report = (line) => live.line(line);
  const steps = only.map((name) => (makers[name] ?? optionalMakers[name])(places));
  const open = () => openSteps(steps);
  if (open().length === 0) return 0;
  const onWait = (pid) => report(`another set-up of this folder is running (process ${pid}); waiting for it`);
  return withLock(places.lock, onWait, async () => {
    const todo = open();
    if (todo.length === 0) return 0;
    requirePlatform();
    requireTools(todo.flatMap((step) => step.tools ?? []));
    await runSteps(todo, report, { begin: (name) => live.begin(name), end: (name) => live.end(name) });
    return todo.length;
  });
}

/** A step that isn't done, and those it makes stale: new npm packages or a new core are inputs of the builds. */
function openSteps(steps) {
  const open = new Set();
  for (const step of steps) {
    const stale = step.needs.some((name) => [...open].some((other) => other.name === name));
    if (stale || !step.isDone()) open.add(step);
  }
  return [...open];
}
