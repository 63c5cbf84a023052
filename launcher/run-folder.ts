import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity';

/** Where one run keeps its data and its logs; it belongs to this process. */
export interface RunFolder {
  readonly path: string;
  readonly logs: string;
  /** Removes what isn't a log. The logs stay until the next run begins. */
  removeData(): void;
}

const ownerFile = 'owner.json';

/** Makes a run folder after removing those whose process is dead. */
export function makeRunFolder(root = projectPath('.roundhouse', 'run')): RunFolder {
  mkdirSync(root, { recursive: true });
  removeStaleRuns(root);
  const owner = identityOf(process.pid);
  const path = makeFree((number) => join(root, `${process.pid}-${owner?.started ?? '0'}-${number}`));
  const logs = join(path, 'logs');
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(path, ownerFile), JSON.stringify(owner));
  return { path, logs, removeData: () => removeAllBut(path, ['logs', ownerFile]) };
}

/** The folder of the first number that is free: a process may have loaded this module twice. */
function makeFree(pathOf: (number: number) => string): string {
  for (let number = 1; ; number += 1) {
    const path = pathOf(number);
    if (!existsSync(path) && mkdirSync(path, { recursive: true }) !== undefined) return path;
  }
}

function removeStaleRuns(root: string): void {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const owner = readOwner(path) ?? ownerByName(name);
    if (owner === null || !isAlive(owner)) rmSync(path, { recursive: true, force: true });
  }
}

function readOwner(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(join(path, ownerFile), 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}

/** For a folder whose owner is just writing its file. */
function ownerByName(name: string): ProcessIdentity | null {
  const match = /^(\d+)-(\d+)-\d+$/.exec(name);
  return match === null ? null : { pid: Number(match[1]), started: match[2] ?? '' };
}

function removeAllBut(path: string, kept: readonly string[]): void {
  for (const name of readdirSync(path)) {
    if (!kept.includes(name)) rmSync(join(path, name), { recursive: true, force: true });
  }
}
