import { readFileSync } from 'node:fs';

/** Whether a process with this id exists (which may be another one than is meant: ids come again). */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * What tells a process from another one that has the same id later, as in a container that was started again, where
 * ids begin anew: the kernel's ticks at its start; null where there is no such process.
 */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name may hold blanks and parentheses; the field is the twentieth behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
