import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '#lib/is-alive';

const folder = '/dev/shm';

/** Process ids mean something within one namespace only, and containers may share /dev/shm. */
function processNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** Names begin with it and go on with a random UUID of the backend's. */
export function regionPrefix(enginePid: number): string {
  return `roundhouse-python-${processNamespace()}-${enginePid}-`;
}

/** The backend makes its memory readable for everybody; it is nobody else's business. */
export function closeRegions(enginePid: number): void {
  const prefix = regionPrefix(enginePid);
  const own = namesIn(folder).filter((name) => name.startsWith(prefix));
  for (const name of own) attempt(() => chmodSync(join(folder, name), 0o600));
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The engine whose region or stub this is, when it is gone. */
function deadEngineOf(text: string, namespace: string): number | null {
  const [, space, pid] = /^roundhouse-python-(\d+)-(\d+)-/.exec(text) ?? [];
  if (pid === undefined || space !== namespace || isAlive(Number(pid))) return null;
  return Number(pid);
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // Gone already, or another user's.
  }
}

/** The region is the stub's second argument. */
function regionOf(pid: string): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[2] ?? '';
}

function processes(): string[] {
  return namesIn('/proc').filter((name) => /^\d+$/.test(name));
}

/**
 * Memory of an engine whose stub has ended without tidying up. While a model is being loaded, its memory is there
 * before its stub.
 */
export function orphanedRegions(enginePid: number): string[] {
  const prefix = regionPrefix(enginePid);
  const own = namesIn(folder).filter((name) => name.startsWith(prefix));
  if (own.length === 0) return [];
  const held = new Set<string>();
  for (const pid of processes()) attempt(() => held.add(regionOf(pid)));
  return own.filter((name) => !held.has(name));
}

export function removeRegions(names: readonly string[]): void {
  for (const name of names) attempt(() => unlinkSync(join(folder, name)));
}

function endStub(pid: string, namespace: string): void {
  const region = regionOf(pid);
  if (deadEngineOf(region, namespace) === null) return;
  if (statSync(`/proc/${pid}`).uid === process.getuid?.()) process.kill(Number(pid), 'SIGKILL');
}

/**
 * Ends the stubs and removes the shared memory of engines that are gone. A stub sees within a second that its
 * engine is gone and tidies up itself; one that is killed too, or hangs in a model, doesn't.
 */
export function sweepPython(): void {
  const namespace = processNamespace();
  const left = namesIn(folder).filter((name) => deadEngineOf(name, namespace) !== null);
  if (left.length === 0) return;
  for (const pid of processes()) attempt(() => endStub(pid, namespace));
  removeRegions(left);
}
