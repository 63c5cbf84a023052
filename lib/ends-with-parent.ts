import { existsSync, readFileSync } from 'node:fs';

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
const capSetpcap = 1n << 8n;

/** Whether capabilities can be taken from what is started, by the text of /proc/self/status. */
export function mayDropCapabilities(status: string): boolean {
  const effective = /^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & capSetpcap) !== 0n;
}

let droppable: boolean | undefined;

function dropsCapabilities(): boolean {
  try {
    droppable ??= mayDropCapabilities(readFileSync('/proc/self/status', 'latin1'));
  } catch {
    droppable = false;
  }
  return droppable;
}

/** Without the right to drop them there are none to drop, or none that no_new_privs would not hold back. */
function privileges(): string[] {
  const none = ['--no-new-privs'];
  return dropsCapabilities() ? [...none, '--bounding-set=-all', '--inh-caps=-all'] : none;
}

/**
 * The command line that makes the kernel kill the process when the thread that started it dies
 * (PR_SET_PDEATHSIG through util-linux' setpriv, which then becomes the command: the pid is the same), without
 * capabilities and the way to any where that is wanted. Where setpriv is absent the command is unchanged; a parent
 * killed by SIGKILL may leave children then.
 */
export function endsWithParent(
  command: readonly string[],
  { withoutPrivileges = false }: { readonly withoutPrivileges?: boolean } = {},
): string[] {
  if (setpriv === undefined) return [...command];
  return [setpriv, '--pdeathsig', 'KILL', ...(withoutPrivileges ? privileges() : []), '--', ...command];
}
