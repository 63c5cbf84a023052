#!/usr/bin/env node
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { flagsOf } from '../../scripts/flags.mjs';
import { projectRoot } from '../../scripts/setup/places.mjs';
import { benchNames, runBenches } from './machine/benches.mjs';
import { machineOf } from './machine/environment.mjs';
import { prepare } from './machine/prepare.mjs';
import { plannedList, runPlanned } from './machine/run-planned.mjs';
import { runSanitizers } from './machine/sanitizers.mjs';
import { runTests } from './machine/tests.mjs';

const usage = `node test/gpu/run.mjs prepare
node test/gpu/run.mjs test [NAME…] [-- FLAGS]
node test/gpu/run.mjs sanitize [NAME…] [-- FLAGS]
node test/gpu/run.mjs bench NAME… [-- FLAGS]
node test/gpu/run.mjs planned [NAME…]
  On a machine with a GPU, with what test/gpu/pack.mjs packed; plain Node.js is enough (docs/gpu.md).
  prepare      the toolchain out of the parts, once; the others do it where it is missing
  test         the GPU tests; the last line is "N passed, N failed, N skipped"
  sanitize     the same under compute-sanitizer: memcheck, racecheck, initcheck
  bench        one JSON file for each, in the folder of --out
  planned      runs of the list of docs/gpu-window.md, results in a folder of each; without a name, the list
  --parts DIR  where runtime, kafka, triton and tensorrt were unpacked (default /opt/rh)
  --build DIR  the build for GPUs (default build/cuda)
  --out DIR    of the results (default $OUT, else out/gpu)
  --tools A,B  of compute-sanitizer (default all three)
  --limit S    seconds that one program may take (default 540)
  FLAGS        go to each program`;

const text = (value) => ({ type: 'string', default: value });
const options = {
  parts: text('/opt/rh'),
  build: text('build/cuda'),
  out: text(process.env.OUT || 'out/gpu'),
  tools: text(''),
  limit: text('540'),
  help: { type: 'boolean', short: 'h', default: false },
};

function readArguments(argv) {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const { fault, values, words } = flagsOf(own, options, Infinity);
  if (fault !== undefined) throw new Error(`${fault}: node test/gpu/run.mjs --help shows the usage`);
  const [command, ...names] = words;
  const limitMs = Number(values.limit) * 1_000;
  if (!(limitMs > 0)) throw new Error(`--limit takes seconds, not ${values.limit}`);
  return { ...values, command, names, flags: end < 0 ? [] : argv.slice(end + 1), limitMs };
}

async function main(argv) {
  const given = readArguments(argv);
  const commands = {
    prepare: () => true,
    test: runTests,
    sanitize: runSanitizers,
    bench: runBenches,
    planned: runPlanned,
  };
  const run = commands[given.command];
  if (given.help || run === undefined) {
    console.log(`${usage}\nThe benches: ${benchNames(resolve(projectRoot, given.build)).join(', ')}`);
    return given.help;
  }
  if (given.command === 'planned' && given.names.length === 0) {
    console.log(plannedList().join('\n'));
    return true;
  }
  const machine = machineOf({ root: projectRoot, ...given, out: resolve(projectRoot, given.out) });
  await prepare(machine);
  mkdirSync(machine.out, { recursive: true });
  return run(machine, given);
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
