import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never returns where a file system
 * lets nothing be made and says that it is not there, as /proc does. Returns what was made, the topmost first.
 */
export function makeFolder(path: string, mode = 0o777): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) makeOne(folder, mode);
  if (!statSync(path).isDirectory()) throw codedError('ENOTDIR', path);
  return missing;
}

/** Takes folders away that `makeFolder` made, as far as nothing is in them. */
export function removeMade(made: readonly string[]): void {
  for (const folder of made.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Another process may have made it meanwhile. */
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(folder)) throw error;
  }
}

function codedError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path} is no folder`), { code, path });
}
