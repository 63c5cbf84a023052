import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runBenches } from './benches.mjs';
import { plannedOf, plannedRuns } from './planned-runs.mjs';
import { runShown } from './programs.mjs';
import { runTests } from './tests.mjs';

/** Runs of the list one after the other; each writes into a folder of its name. True when all of them ended well. */
export async function runPlanned(machine, { names }) {
  let allOk = true;
  for (const [name, run] of plannedOf(names)) {
    console.log(`\n== planned ${name}: ${run.why}, at most ${run.seconds} s`);
    const ok = await runSteps({ ...machine, out: join(machine.out, name) }, run);
    console.log(`${ok ? 'ok' : 'FAILED'} planned ${name}`);
    allOk = ok && allOk;
  }
  return allOk;
}

/** A step that the run's time leaves no room for has failed: it is told, and nothing outlasts the window. */
async function runSteps(machine, { seconds, steps, gpus }) {
  if (machine.gpus.length < gpus) {
    console.log(`it wants ${gpus} GPUs, here are ${machine.gpus.length}`);
    return false;
  }
  for (const folder of [machine.out, ...withPlaces(machine, { names: ['SHARDS'] }).names]) {
    mkdirSync(folder, { recursive: true });
  }
  const until = Date.now() + 1_000 * seconds;
  let allOk = true;
  for (const step of steps) {
    const limitMs = Math.min(1_000 * step.limit, until - Date.now());
    const ok = limitMs > 1_000 && (await commands[step.command](machine, withPlaces(machine, step), limitMs));
    if (!ok) console.log(`FAILED step ${step.command} ${step.names.join(' ')}`);
    allOk = ok && allOk;
  }
  return allOk;
}

const commands = {
  test: (machine, { names, flags }, limitMs) =>
    runTests({ ...machine, out: join(machine.out, names[0]) }, { names, flags, limitMs }),
  bench: (machine, { names, flags }, limitMs) => runBenches(machine, { names, flags, limitMs }),
  standalone: async ({ root, out, env }, { names: [shards], flags }, limitMs) => {
    const script = join(root, 'test', 'gpu', 'machine', 'standalone-triton.mjs');
    const args = [script, '--shards', shards, '--out', join(out, 'standalone-triton.json'), ...flags];
    return (await runShown(process.execPath, args, { cwd: root, env, limitMs })).ok;
  },
};

/** Shards kept by an earlier run travel with the product; those that a step makes lie in a folder of the checkout. */
export function withPlaces({ root }, { names, flags = [] }) {
  const templates = join(root, '.roundhouse', 'gpu', 'templates');
  const shards = join(root, '.roundhouse', 'gpu', 'candidate-cost-shards');
  const placed = (word) => ({ TEMPLATES: templates, SHARDS: shards })[word] ?? word;
  return { names: names.map(placed), flags: flags.map(placed) };
}

/** The list, a line each. */
export function plannedList() {
  return Object.entries(plannedRuns).map(
    ([name, { seconds, gpus, parts, why }]) =>
      `${name.padEnd(16)}${String(seconds).padStart(4)} s  ${gpus} GPU${gpus === 1 ? ' ' : 's'}  ${why}\n${' '.repeat(31)}${parts.join(', ')}`,
  );
}
