import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The last lines of a log file, at most 4 KiB; empty when there is none. */
export function endOfLog(file: string, lines = 15): string {
  try {
    return readEnd(file, 4096).trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}

function readEnd(file: string, bytes: number): string {
  const log = openSync(file, 'r');
  try {
    const size = fstatSync(log).size;
    const buffer = Buffer.alloc(Math.min(bytes, size));
    readSync(log, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    closeSync(log);
  }
}
