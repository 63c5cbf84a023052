import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  readonly residentBytes: number;
  /** Of those: the data plane's pool, which the worker made. */
  readonly sharedBytes: number;
}

/** The text of /proc/<pid>/status; null where it has no such lines (a process that is just ending). */
export function parseMemory(status: string): ProcessMemory | null {
  const bytes = (name: string): number => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
    return found === null ? NaN : Number(found[1]) * 1_024;
  };
  const residentBytes = bytes('VmRSS');
  if (Number.isNaN(residentBytes)) return null;
  const sharedBytes = bytes('RssShmem');
  return { residentBytes, sharedBytes: Number.isNaN(sharedBytes) ? 0 : sharedBytes };
}

export function memoryOf(pid: number): ProcessMemory | null {
  try {
    return parseMemory(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return null;
  }
}
