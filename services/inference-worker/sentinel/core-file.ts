import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export interface CoreFile {
  /** /proc/sys/kernel/core_pattern; empty where it can't be read. */
  readonly pattern: string;
  /** null where there is none, or where the pattern hands it to a program. */
  readonly path: string | null;
}

const dumping = [
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGXCPU',
  'SIGSYS',
];

export function readCorePattern(): string {
  try {
    return readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
  } catch {
    return '';
  }
}

/** A regular expression for the name that the pattern gives a core of the process. */
export function coreNames(pattern: string, pid: number): RegExp {
  const known: Readonly<Record<string, string>> = {
    p: String(pid),
    P: String(pid),
    i: String(pid),
    '%': '%',
  };
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const parts = pattern.split(/(%.)/).map((part) => {
    if (!/^%.$/.test(part)) return escaped(part);
    const value = known[part[1]!];
    return value === undefined ? '.*' : escaped(value);
  });
  return new RegExp(`^${parts.join('')}(\\.${pid})?$`);
}

/** Where the kernel put the core of a process that ended by `signal`, if it did. */
export function findCoreFile(
  pid: number,
  signal: string | null,
  folder: string = process.cwd(),
  pattern: string = readCorePattern(),
): CoreFile {
  if (signal === null || !dumping.includes(signal) || pattern === '' || pattern.startsWith('|')) {
    return { pattern, path: null };
  }
  const place = resolve(folder, dirname(pattern));
  if (dirname(pattern).includes('%') || !existsSync(place)) return { pattern, path: null };
  // A bare name without the process id says nothing of whose core it is.
  const names = coreNames(basename(pattern), pid);
  const found = readdirSync(place).find((name) => name.includes(String(pid)) && names.test(name));
  return { pattern, path: found === undefined ? null : join(place, found) };
}
