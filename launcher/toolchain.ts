import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RoundhouseError } from '#schemas/errors';
import { projectPath, projectRoot } from '#schemas/project-root';

/** A file or folder of the toolchain that `node scripts/setup.mjs` makes. */
export function toolchainPath(env: NodeJS.ProcessEnv, ...parts: string[]): string {
  const folder = env['ROUNDHOUSE_TOOLCHAIN_DIR'];
  const root = folder ? resolve(projectRoot, folder) : projectPath('.roundhouse', 'toolchain');
  const path = join(root, ...parts);
  if (existsSync(path)) return path;
  throw new RoundhouseError('DEPENDENCY_ABSENT', `${path} is missing: run "node scripts/setup.mjs"`);
}
