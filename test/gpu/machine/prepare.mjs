import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeCoreLoadable } from '../../../scripts/setup/triton-core.mjs';

/** The toolchain that the launcher looks for, made of links into the parts. Each part may come later. */
export async function prepare({ root, parts, toolchain }) {
  await prepareCore(root, join(parts, 'triton'));
  placePlans(root);
  mkdirSync(toolchain, { recursive: true });
  const places = { kafka: 'kafka', redis: join('runtime', 'redis'), triton: 'triton' };
  for (const [name, place] of Object.entries(places)) {
    const link = join(toolchain, name);
    rmSync(link, { recursive: true, force: true });
    if (existsSync(join(parts, place))) symlinkSync(join(parts, place), link);
  }
}

/** The raw wheel gets what set-up gives it. */
async function prepareCore(root, folder) {
  const libraries = join(folder, 'nvidia_pytriton.libs');
  if (!existsSync(libraries) || existsSync(join(libraries, 'libtritonserver.so'))) return;
  const patchelf = join(root, '.roundhouse', 'gpu', 'patchelf');
  await makeCoreLoadable(folder, patchelf, join(root, '.roundhouse', 'logs', 'gpu-patchelf.log'));
}

/** Where the engine looks for plans; those that are there already stay. */
function placePlans(root, { ROUNDHOUSE_PLAN_DIR, XDG_CACHE_HOME } = process.env) {
  const packed = join(root, '.roundhouse', 'gpu', 'plans');
  if (!existsSync(packed)) return;
  const place =
    ROUNDHOUSE_PLAN_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'roundhouse', 'plans');
  cpSync(packed, place, { recursive: true, force: false });
  // Plans that others could have written are not run.
  chmodSync(place, 0o700);
}
