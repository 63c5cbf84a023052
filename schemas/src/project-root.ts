import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json above this file, whether it runs from source or from dist/. */
function findProjectRoot(start: string): string {
  let folder = start;
  while (!existsSync(join(folder, 'package-lock.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package-lock.json above ${start}`);
    folder = parent;
  }
  return folder;
}

export const projectRoot = findProjectRoot(__dirname);

export function projectPath(...parts: string[]): string {
  return join(projectRoot, ...parts);
}
