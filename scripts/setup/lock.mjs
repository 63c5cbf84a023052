import { linkSync, mkdirSync, readFileSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.mjs';

/**
 * One set-up of a work tree at a time. The lock file names its holder by process id and start time, so
 * a holder that was killed, or whose id went to another process, doesn't block the next one.
 */
export async function withLock(file, onWait, work) {
  await acquire(file, onWait);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

async function acquire(file, onWait) {
  makeFolder(dirname(file));
  for (let waits = 0; !tryCreate(file); waits += 1) {
    const holder = readHolder(file);
    if (holder !== null && !isAlive(holder)) removeDead(file, holder);
    else if (holder !== null) {
      if (waits === 0) onWait(holder.pid);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Hard-linking a finished file makes the lock appear whole or not at all. */
function tryCreate(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, started: startTimeOf(process.pid) }));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function readHolder(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    return { pid: 0, started: 'unreadable' };
  }
}

/** Field 22 of /proc/PID/stat, clock ticks after boot; null when there is no such process. */
export function startTimeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return null;
  }
}

function isAlive(holder) {
  return holder.pid > 0 && startTimeOf(holder.pid) === holder.started;
}

/** Several waiters may see the same dead holder: only the one that makes the folder removes the lock. */
function removeDead(file, seen) {
  const guard = `${file}.removing`;
  try {
    mkdirSync(guard);
  } catch {
    if (ageMs(guard) > 5_000) rmSync(guard, { recursive: true, force: true });
    return;
  }
  const now = readHolder(file);
  if (now !== null && now.pid === seen.pid && now.started === seen.started) rmSync(file, { force: true });
  rmdirSync(guard);
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
