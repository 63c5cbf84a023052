import { readFileSync, readdirSync } from 'node:fs';

/** A process id alone may be given to another process later; with its start time it is unique. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

export function identityOf(pid: number): ProcessIdentity | null {
  const fields = statFields(pid);
  return fields === null || fields[0] === 'Z' ? null : { pid, started: fields[19] ?? '' };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.started === identity.started;
}

/** Ids of the direct children whose command line holds `text`; one that has ended and is not waited for has none. */
export function childrenOf(pid: number, text = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statFields(child)?.[1]) === pid && commandLine(child).includes(text));
}

/** Fields of /proc/PID/stat behind the name: [0] state, [1] parent, [19] start in ticks after boot. */
function statFields(pid: number): string[] | null {
  const text = readProc(pid, 'stat');
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function commandLine(pid: number): string {
  return (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ');
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
