import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * What a line of a service's log says, without the name of its event; any other line as it is. Its failure stands in
 * plain text, too.
 */
function inWords(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { event, msg, reason } = JSON.parse(line) as Record<string, unknown>;
    if (typeof event !== 'string') return line;
    const words = event === 'ServiceFailed' ? '' : (msg ?? reason);
    return typeof words === 'string' ? words : '';
  } catch {
    return line;
  }
}

/** The last lines of a log file, of its last 4 KiB, that say something; empty when there is none. */
export function endOfLog(file: string, lines = 15): string {
  const words = linesOf(file).map(inWords);
  return words
    .filter((line) => line !== '')
    .slice(-lines)
    .join('\n');
}

/** The server that a service waits for, where its last line says so; else empty. */
export function awaitedServer(file: string): string {
  const line = linesOf(file).at(-1) ?? '';
  return line.includes('"event":"DependencyAwaited"') ? inWords(line).replace(/^waiting for /, '') : '';
}

/** What a service that ended for its configuration said of that: all its faults; empty where it said nothing. */
export function configFaultIn(file: string): string {
  const lines = linesOf(file);
  const start = lines.findLastIndex((line) => /^[a-z-]+: CONFIG_INVALID: /.test(line));
  if (start < 0) return '';
  const said = lines.slice(start).filter((line) => !line.startsWith('{'));
  return said.join('\n').replace(/^[a-z-]+: CONFIG_INVALID: /, '');
}

function linesOf(file: string): string[] {
  try {
    return readEnd(file, 4096).trimEnd().split('\n');
  } catch {
    return [];
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
