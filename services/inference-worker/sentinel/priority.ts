import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

export const standbyNice = 5;
const capSysNice = 1n << 23n;
/** RLIMIT_NICE of 20 allows a nice of 20 - 20 = 0. */
const needed = 20;

/** Whether this process may take a raised nice value back, by the texts of /proc/self/status and …/limits. */
export function mayRestorePriority(status: string, limits: string): boolean {
  const effective = /^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  if ((BigInt(`0x${effective}`) & capSysNice) !== 0n) return true;
  const limit = /^Max nice priority\s+(\S+)/m.exec(limits)?.[1] ?? '0';
  return limit === 'unlimited' || Number(limit) >= needed;
}

function readAll(): boolean {
  try {
    return mayRestorePriority(
      readFileSync('/proc/self/status', 'latin1'),
      readFileSync('/proc/self/limits', 'latin1'),
    );
  } catch {
    return false;
  }
}

let restorable: boolean | undefined;

/** A standby that could never become fast again must not be made slow. */
export function niceCommand(command: readonly string[]): string[] {
  restorable ??= readAll();
  return restorable ? ['nice', '-n', String(standbyNice), ...command] : [...command];
}

/** Every thread has a nice value of its own; those that are started later take their starter's. */
export function restorePriority(pid: number): void {
  for (let pass = 0; pass < 2; pass++) {
    for (const thread of threadsOf(pid)) {
      try {
        setPriority(thread, 0);
      } catch {
        // It has just ended.
      }
    }
  }
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
