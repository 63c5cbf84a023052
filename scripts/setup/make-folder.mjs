import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** As lib/make-folder.ts, which is not built yet: Node's own `recursive` never returns in /proc. */
export function makeFolder(path) {
  const missing = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder);
    } catch (error) {
      if (error.code !== 'EEXIST' || !existsSync(folder)) throw error;
    }
  }
}
