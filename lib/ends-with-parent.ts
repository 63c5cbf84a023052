import { existsSync } from 'node:fs';

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/**
 * The command line that makes the kernel kill the process when the thread that started it dies
 * (PR_SET_PDEATHSIG through util-linux' setpriv, which then becomes the command: the pid is the same).
 * Where setpriv is absent the command is unchanged; a parent killed by SIGKILL may leave children then.
 */
export function endsWithParent(command: readonly string[]): string[] {
  if (setpriv === undefined) return [...command];
  return [setpriv, '--pdeathsig', 'KILL', '--', ...command];
}
