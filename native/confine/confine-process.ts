import { readdirSync, readFileSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { loadBindings } from './bindings';

export interface Confinement {
  readonly holds: boolean;
  /** What doesn't, and why; empty where all does. */
  readonly lacking: string;
}

export interface WantedConfinement {
  readonly ownFilesOnly: boolean;
  /** Why files were not closed, by what was to close them. */
  readonly failure?: string | undefined;
}

const nameOf = (errno: number): string => getSystemErrorName(-errno);

/** Whether the main thread may do what only root may, or could take that up, by the text of /proc/self/status. */
export function hasCapabilities(status: string): boolean {
  return /^Cap(Eff|Prm):\s+0*[1-9a-f]/m.test(status);
}

/** Like files they can't be taken from the other threads of a running process: whoever started it has to. */
function capabilitiesLeft(): string[] {
  try {
    return hasCapabilities(readFileSync('/proc/self/status', 'latin1'))
      ? ['it was started with capabilities']
      : [];
  } catch (error) {
    return [`capabilities: ${(error as Error).message}`];
  }
}

/** Of a process that was limited to files of its own, no folder above them can be listed. */
function filesLeft(landlockVersion: number, failure: string): string[] {
  if (landlockVersion === 0) return ['files: this kernel, or what the process runs in, has no Landlock'];
  try {
    readdirSync('/');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? [] : [`files: ${(error as Error).message}`];
  }
  if (failure !== '') return [`files: ${failure}`];
  return ['files: it was not started through build/native/only-files, or with / among its files'];
}

/**
 * From now on every thread of this process, and what it starts, opens sockets of Unix and netlink alone, looks into no
 * other process, and gets no more privileges. It can't be taken back. Files, and capabilities, can only be looked at here.
 */
export function confineProcess({ ownFilesOnly, failure = '' }: WantedConfinement): Confinement {
  let bindings: ReturnType<typeof loadBindings>;
  try {
    bindings = loadBindings();
  } catch (error) {
    return { holds: false, lacking: (error as Error).message };
  }
  const { noNewPrivileges, filter } = bindings.confine();
  const lacking = [
    ...(noNewPrivileges === 0 ? [] : [`no_new_privs: ${nameOf(noNewPrivileges)}`]),
    ...(filter === 0 ? [] : [`seccomp: ${nameOf(filter)}`]),
    ...capabilitiesLeft(),
    ...(ownFilesOnly ? filesLeft(bindings.landlockVersion(), failure) : []),
  ].join(', ');
  return { holds: lacking === '', lacking };
}
