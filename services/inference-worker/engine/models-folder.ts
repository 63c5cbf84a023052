import { statSync } from 'node:fs';
import { configError } from '#lib/config';
import type { RoundhouseError } from '#schemas/errors';

function notThere(folder: string, limit: string): RoundhouseError {
  return configError([{ path: 'ROUNDHOUSE_MODELS_DIR', value: folder, limit }]);
}

/** Throws CONFIG_INVALID, which names the setting, for a model repository that is no folder. */
export function requireModelsFolder(folder: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (error) {
    throw notThere(folder, (error as Error).message);
  }
  if (!isFolder) throw notThere(folder, 'a folder');
}
