import { readFileSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { loadBindings } from './bindings';

export interface Confinement {
  readonly holds: boolean;
  /** What doesn't, and why; empty where all does. */
  readonly lacking: string;
}

const nameOf = (errno: number): string => getSystemErrorName(-errno);

/** Whether the main thread may do what only root may, or could take that up, by the text of /proc/self/status. */
export function hasCapabilities(status: string): boolean {
  return /^Cap(Eff|Prm):\s+0*[1-9a-f]/m.test(status);
}

/** They can't be taken from the other threads of a running process: whoever started it has to. */
function capabilitiesLeft(): string[] {
  try {
    return hasCapabilities(readFileSync('/proc/self/status', 'latin1'))
      ? ['it was started with capabilities']
      : [];
  } catch (error) {
    return [`capabilities: ${(error as Error).message}`];
  }
}

/**
 * From now on every thread of this process, and what it starts, opens sockets of Unix and netlink alone, looks into no
 * other process, and gets no more privileges. It can't be taken back.
 */
export function confineProcess(): Confinement {
  let found: ReturnType<ReturnType<typeof loadBindings>['confine']>;
  try {
    found = loadBindings().confine();
  } catch (error) {
    return { holds: false, lacking: (error as Error).message };
  }
  const { noNewPrivileges, filter } = found;
  const lacking = [
    ...(noNewPrivileges === 0 ? [] : [`no_new_privs: ${nameOf(noNewPrivileges)}`]),
    ...(filter === 0 ? [] : [`seccomp: ${nameOf(filter)}`]),
    ...capabilitiesLeft(),
  ].join(', ');
  return { holds: lacking === '', lacking };
}
