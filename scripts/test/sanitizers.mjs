import { cpus } from 'node:os';
import { join } from 'node:path';
import { runLogged } from '../setup/command.mjs';
import { forgetMovedTree } from '../setup/native-build.mjs';
import { runProgram } from './native-tests.mjs';
import { addTallies, tally } from './part.mjs';

/** The programs that run our C++ with hostile input, beside a real core, or from many threads. */
const programs = [
  'shm_core_test',
  'json_test',
  'request_parameters_test',
  'admission_test',
  'admission_full_test',
  'admission_order_test',
  'admission_threads_test',
  'model_capacity_test',
  'model_work_test',
  'hostile_peers_test',
  'in_place_test',
  'live_frames_test',
  'shipped_models_test',
  'triton_server_test',
  'server_queue_test',
];
const settings = {
  CMAKE_BUILD_TYPE: 'Sanitized',
  CMAKE_CXX_FLAGS_SANITIZED: '-O1 -g1',
  ROUNDHOUSE_SANITIZE: 'address,undefined',
  ROUNDHOUSE_CUDA: 'OFF',
};

/**
 * The C++ parts with AddressSanitizer and UBSan, in a build of their own with only what these programs need; a
 * tenth of the counts of a full run. An error of memory, a leak or undefined behaviour fails the program.
 */
export async function runSanitizers(root) {
  const folder = join(root, 'build', 'asan');
  try {
    await build(root, folder);
  } catch (error) {
    console.log(`FAILED the build: ${error.message}`);
    return tally(0, 1);
  }
  const tallies = [];
  for (const name of programs) {
    tallies.push(await runProgram(join(folder, 'tests', name), { name, root, env: environment(), judge }));
  }
  return addTallies(tallies);
}

/** Said where the part neither was named nor belongs to a full run. */
export function skipSanitizers() {
  console.log(
    'SKIPPED: a build of its own, minutes; `npm test -- sanitizers` or `npm run test:full` runs it',
  );
  return tally(0, 0, 1);
}

async function build(root, folder) {
  forgetMovedTree(root, folder);
  const log = join(root, '.roundhouse', 'logs', 'sanitizers-build.log');
  const jobs = process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(cpus().length);
  const definitions = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  const toolchain = process.env.ROUNDHOUSE_TOOLCHAIN_DIR;
  if (toolchain) definitions.push(`-DROUNDHOUSE_TOOLCHAIN_DIR=${toolchain}`);
  await runLogged('cmake', ['-S', root, '-B', folder, ...definitions], { log });
  await runLogged('cmake', ['--build', folder, '--parallel', jobs, '--target', ...programs], { log });
}

/** A tenth of the counts, whatever the rest of the run does. No suppressions: TritonCore has needed none. */
function environment() {
  const { TEST_FULL: _whole, ...env } = process.env;
  const ends = 'halt_on_error=1:exitcode=99';
  return { ...env, ASAN_OPTIONS: `detect_leaks=1:${ends}`, UBSAN_OPTIONS: `print_stacktrace=1:${ends}` };
}

/** What a sanitizer says counts, whatever the exit status. */
export function judge(output) {
  return !/^==\d+==ERROR: |: runtime error: |^SUMMARY: \w+Sanitizer/m.test(output);
}
