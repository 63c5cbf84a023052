import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { runLogged } from '../setup/command.mjs';
import { setUp } from '../setup/index.mjs';
import { forgetMovedTree } from '../setup/native-build.mjs';
import { placesOf } from '../setup/places.mjs';
import { tools } from '../setup/prerequisites.mjs';
import { NetworkMissing } from '../setup/tensorrt-headers.mjs';
import { addTallies, runToEnd, tally } from './part.mjs';

const limitMs = 900_000;
/** Unrolled trees of 4 orders: minutes each in NVIDIA's assembler. */
const slowSources = ['tree4_free', 'tree4_capacity'];
/** Where C++ for GPUs lies; what is not for GPUs there compiles with CUDA as without. */
const folders = /^(cuda|test\/gpu|native\/fault_injection)\//;

/**
 * Compiles everything for GPUs, sm_90 and PTX, on a machine that needs none: each source counts as one test. Warnings
 * are errors, and so are trees and searches that spill registers to memory. Nothing is linked or run.
 */
export async function runCuda(root, { full }) {
  try {
    await setUp({ only: ['cuda'] });
    const skipped = await withTensorrt();
    const build = await configure(root);
    const kernels = await inParallel(kernelsOf(build), (kernel) => compileKernel(root, build, kernel, full));
    const sources = await inParallel(sourcesOf(root, build), (source) => compileSource(root, source));
    return addTallies([...kernels, ...sources, skipped]);
  } catch (error) {
    console.log(`FAILED ${error.message}`);
    return tally(0, 1);
  }
}

/** Its headers come by Cargo, which not every machine has, from the network. Any other fault is one of ours. */
async function withTensorrt() {
  try {
    await setUp({ only: ['tensorrt'] });
    return tally();
  } catch (error) {
    if (!(error instanceof NetworkMissing) && tools.cargo.isThere()) throw error;
    console.log(`SKIPPED what uses TensorRT: ${error.message}`);
    return tally(0, 0, 1);
  }
}

async function configure(root) {
  const folder = join(root, 'build', 'cuda-check');
  const { toolchain, logs } = placesOf(root);
  forgetMovedTree(root, folder);
  const settings = {
    CMAKE_BUILD_TYPE: 'Release',
    ROUNDHOUSE_CUDA: 'ON',
    ROUNDHOUSE_CUDA_HOME: join(toolchain, 'cuda'),
    ROUNDHOUSE_CUDA_ARCHITECTURES: '90',
    ROUNDHOUSE_CUDA_STRICT: 'ON',
    ROUNDHOUSE_TOOLCHAIN_DIR: toolchain,
  };
  const definitions = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  await runLogged('cmake', ['-S', root, '-B', folder, ...definitions], { log: join(logs, 'cuda-check.log') });
  return folder;
}

/** The targets that CMake made for the sources with kernels, and the sources. */
function kernelsOf(build) {
  const lines = readFileSync(join(build, 'cuda-sources.txt'), 'utf8').trim().split('\n');
  const kernels = lines.map((line) => {
    const [target] = line.split(' ', 1);
    const file = line.slice(target.length + 1);
    return { target, file, isSlow: slowSources.some((slow) => target === `cuda_${slow}`) };
  });
  // The slow ones first: side by side.
  return kernels.sort((a, b) => Number(b.isSlow) - Number(a.isSlow));
}

async function compileKernel(root, build, { target, file, isSlow }, full) {
  const name = relative(root, file);
  if (!full && isSlow) {
    console.log(`SKIPPED ${name}: minutes; npm run test:full compiles it`);
    return tally(0, 0, 1);
  }
  return compiled(
    name,
    await runToEnd('cmake', ['--build', build, '--target', target], { ...options(root) }),
  );
}

function sourcesOf(root, build) {
  const commands = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'));
  const byName = new Map(commands.map((command) => [relative(root, command.file), command]));
  return [...byName].filter(([name]) => folders.test(name)).map(([name, command]) => ({ name, ...command }));
}

async function compileSource(root, { name, command, directory }) {
  const args = ['-c', `${command} -fsyntax-only`];
  return compiled(name, await runToEnd('sh', args, { ...options(root), cwd: directory }));
}

const options = (root) => ({ cwd: root, limitMs, show: false });

function compiled(name, { ok, output, reason }) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}`);
  if (!ok) console.log(`${output.trimEnd()}\nended with ${reason}`);
  return ok ? tally(1) : tally(0, 1);
}

/** As many at a time as there are processors. */
async function inParallel(items, work) {
  const waiting = [...items];
  const results = [];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      results.push(await work(item));
  };
  await Promise.all(cpus().map(worker));
  return results;
}
