import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where set-up reads from and writes to. Tests pass another root. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export function placesOf(root = projectRoot, env = process.env) {
  const state = join(root, '.roundhouse');
  return {
    root,
    state,
    logs: join(state, 'logs'),
    lock: join(state, 'setup.lock'),
    toolchain: resolve(root, env.ROUNDHOUSE_TOOLCHAIN_DIR || join(state, 'toolchain')),
    /** A Triton Inference Server that is there already, as in NVIDIA's images; null: the wheel's core. */
    tritonHome: env.TRITON_HOME ? resolve(root, env.TRITON_HOME) : null,
    native: join(root, 'build', 'native'),
    dist: join(root, 'dist'),
  };
}
