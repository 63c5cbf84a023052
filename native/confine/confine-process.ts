import { getSystemErrorName } from 'node:util';
import { loadBindings } from './bindings';

export interface Confinement {
  readonly holds: boolean;
  /** What doesn't, and why; empty where all does. */
  readonly lacking: string;
}

const nameOf = (errno: number): string => getSystemErrorName(-errno);

/**
 * From now on every thread of this process, and what it starts, opens sockets of Unix alone, looks into no other
 * process, and gets no more privileges. It can't be taken back.
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
  ].join(', ');
  return { holds: lacking === '', lacking };
}
