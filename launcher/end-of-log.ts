import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A line of a service's log in words; any other line as it is. */
function inWords(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { event, msg, reason } = JSON.parse(line) as Record<string, unknown>;
    const words = [event, msg ?? reason].filter((word) => typeof word === 'string');
    return typeof event === 'string' ? words.join(': ') : line;
  } catch {
    return line;
  }
}

/** The last lines of a log file, at most 4 KiB; empty when there is none. */
export function endOfLog(file: string, lines = 15): string {
  try {
    return readEnd(file, 4096).trimEnd().split('\n').slice(-lines).map(inWords).join('\n');
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
