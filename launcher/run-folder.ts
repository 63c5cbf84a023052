import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity';

/** Where one run keeps its data and its logs; it belongs to this process. */
export interface RunFolder {
  readonly path: string;
  readonly logs: string;
  /** Removes what isn't a log. The logs stay until the next run begins. */
  removeData(): void;
  /**
   * This run failed: its logs stay where they are while they are among those of the last `mostFailed` that did. Never
   * throws: why the run failed is to be told.
   */
  keepLogs(): void;
}

export const mostFailed = 3;

const ownerFile = 'owner.json';
/** In the folder of a run that failed. */
const failedFile = 'failed';
const kept = ['logs', ownerFile, failedFile];

/** Makes a run folder after removing those whose process is dead, but for the logs of the last that failed. */
export function makeRunFolder(root = projectPath('.roundhouse', 'run')): RunFolder {
  mkdirSync(root, { recursive: true });
  removeStaleRuns(root);
  const owner = identityOf(process.pid);
  const path = makeFree((number) => join(root, `${process.pid}-${owner?.started ?? '0'}-${number}`));
  const logs = join(path, 'logs');
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(path, ownerFile), JSON.stringify(owner));
  const keepLogs = (): void => void attempt(() => writeFileSync(join(path, failedFile), ''));
  return { path, logs, removeData: () => removeAllBut(path, kept), keepLogs };
}

/** The folder of the first number that is free: a process may have loaded this module twice. */
function makeFree(pathOf: (number: number) => string): string {
  for (let number = 1; ; number += 1) {
    const path = pathOf(number);
    if (!existsSync(path) && mkdirSync(path, { recursive: true }) !== undefined) return path;
  }
}

function removeStaleRuns(root: string): void {
  const stale = readdirSync(root).flatMap((name) => {
    const path = join(root, name);
    const owner = readOwner(path) ?? ownerByName(name);
    return owner === null || !isAlive(owner) ? [{ path, failedAt: failedAt(path) }] : [];
  });
  stale.sort((a, b) => b.failedAt - a.failedAt);
  stale.forEach(({ path, failedAt }, index) => {
    if (failedAt > 0 && index < mostFailed) removeAllBut(path, kept);
    else rmSync(path, { recursive: true, force: true });
  });
}

/** Milliseconds since 1970; 0 for a run that did not fail, and for what is no folder of a run. */
function failedAt(path: string): number {
  return attempt(() => statSync(join(path, failedFile)).mtimeMs) ?? 0;
}

function readOwner(path: string): ProcessIdentity | null {
  return attempt(() => JSON.parse(readFileSync(join(path, ownerFile), 'utf8')) as ProcessIdentity);
}

function attempt<T>(what: () => T): T | null {
  try {
    return what();
  } catch {
    return null;
  }
}

/** For a folder whose owner is just writing its file. */
function ownerByName(name: string): ProcessIdentity | null {
  const match = /^(\d+)-(\d+)-\d+$/.exec(name);
  return match === null ? null : { pid: Number(match[1]), started: match[2] ?? '' };
}

/** Of a folder that another run may be removing. */
function removeAllBut(path: string, kept: readonly string[]): void {
  for (const name of namesIn(path)) {
    if (!kept.includes(name)) rmSync(join(path, name), { recursive: true, force: true });
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
