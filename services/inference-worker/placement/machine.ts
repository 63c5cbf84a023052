import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Env } from '#lib/config';
import { projectPath } from '#schemas/project-root';
import type { Machine } from './engine-choice';

const defaultBackends = 'build/native/backends';

/** The engine says what is wrong with that file; here it only counts what can be read. */
function isBuiltForGpus(backends: string): boolean {
  try {
    const text = readFileSync(join(resolve(projectPath(), backends), 'built-for.json'), 'utf8');
    return (JSON.parse(text) as { cudaArchitectures: unknown[] }).cudaArchitectures.length > 0;
  } catch {
    return false;
  }
}

function gpusIn(visible: string | undefined): number {
  if (visible !== undefined)
    return visible.split(',').filter((entry) => /^\s*(\d+|GPU-|MIG-)/.test(entry)).length;
  if (!existsSync('/dev')) return 0;
  return readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
}

/** Without asking any driver: the worker needs none. */
export function thisMachine(env: Env): Machine {
  return {
    devices: env['ROUNDHOUSE_DEVICES'] || undefined,
    gpus: gpusIn(env['CUDA_VISIBLE_DEVICES']),
    isBuiltForGpus: isBuiltForGpus(env['ROUNDHOUSE_ENGINE_BACKENDS_DIR'] || defaultBackends),
  };
}
