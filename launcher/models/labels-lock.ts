import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RoundhouseError } from '#schemas/errors';
import { identityOf, isAlive, type ProcessIdentity } from '../process-identity';

interface Holder extends ProcessIdentity {
  /** Process ids mean something within one namespace of one host only. */
  readonly place: string;
  readonly since: string;
  /** Of this one taking of the lock. */
  readonly nonce: string;
}

const waitMs = 10_000;
const lookEveryMs = 20;

function ourPlace(): string {
  return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
}

function holderOf(lock: string): Holder | null {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** Whole from its first moment, unlike a file that is created and then written; false where there is one. */
function place(lock: string, holder: Holder): boolean {
  const fresh = `${lock}.${holder.nonce}.new`;
  try {
    writeFileSync(fresh, JSON.stringify(holder), { flag: 'wx' });
    linkSync(fresh, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new RoundhouseError('CONFIG_INVALID', `${lock} can't be made: ${(error as Error).message}`);
  } finally {
    if (existsSync(fresh)) rmSync(fresh);
  }
}

function isGone(holder: Holder, us: Holder): boolean {
  return holder.place === us.place && !isAlive(holder);
}

/**
 * Removes the lock of a process that is gone. Of several that find it, one may, and claims that: the lock may be
 * another by now. The claim of one that died over it is cleared the same way. False: somebody else is at it.
 */
function clear(lock: string, dead: Holder, us: Holder): boolean {
  const claim = `${lock}.${dead.nonce}`;
  if (!place(claim, us)) {
    const other = holderOf(claim);
    return other !== null && isGone(other, us) && clear(claim, other, us);
  }
  try {
    if (holderOf(lock)?.nonce === dead.nonce) rmSync(lock);
    return true;
  } finally {
    rmSync(claim);
  }
}

/** Removes what commands that were killed left beside the file. For the holder of the lock: nobody else writes there. */
function sweep(file: string, us: Holder): void {
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name);
    const isUnfinished = name.startsWith(`${basename(file)}.new-`);
    const left = name.startsWith(`${basename(file)}.lock.`) ? holderOf(path) : null;
    if (isUnfinished || (left !== null && isGone(left, us))) rmSync(path, { force: true });
  }
}

function heldBy(lock: string, holder: Holder | null): RoundhouseError {
  const who = holder === null ? 'somebody' : `process ${holder.pid} of ${holder.place} since ${holder.since}`;
  return new RoundhouseError('CONFIG_INVALID', `${lock} is held by ${who}; remove it if that is over`);
}

async function take(lock: string, us: Holder, giveUpMs: number): Promise<void> {
  const end = Date.now() + giveUpMs;
  while (!place(lock, us)) {
    const holder = holderOf(lock);
    if (holder !== null && isGone(holder, us) && clear(lock, holder, us)) continue;
    if (Date.now() >= end) throw heldBy(lock, holder);
    await sleep(lookEveryMs);
  }
}

/**
 * Reads, thinks and writes as one step: of several commands that change `file`, or what depends on it, each sees
 * what the one before has written. `FILE.lock` names the process that is at it; one that died is passed over. Throws
 * CONFIG_INVALID where somebody holds it for long, or it can't be made.
 */
export async function whileLocked<T>(file: string, work: () => T, giveUpMs = waitMs): Promise<T> {
  const us = {
    ...identityOf(process.pid)!,
    place: ourPlace(),
    since: new Date().toISOString(),
    nonce: randomUUID(),
  };
  const lock = `${file}.lock`;
  await take(lock, us, giveUpMs);
  try {
    sweep(file, us);
    return work();
  } finally {
    rmSync(lock);
  }
}
