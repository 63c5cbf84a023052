import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/places.mjs';

/** Names of the files that git tracks here. */
export function trackedFiles() {
  const list = execFileSync('git', ['ls-files', '-z'], { cwd: projectRoot, encoding: 'utf8' });
  return list.split('\0').filter((name) => name !== '');
}

/** Empty for a file that is tracked but not there. */
export function readOrEmpty(name) {
  try {
    return readFileSync(join(projectRoot, name), 'utf8');
  } catch {
    return '';
  }
}
