import { dirname } from 'node:path';
import type { Env } from './config';
import { endsWithParent } from './ends-with-parent';
import { filesOfEngine, hasOwnFilesOnly } from './engine-files';
import { fewHeaps } from './few-heaps';
import { onlyFiles, onlyFilesFailure, onlyFilesFault } from './only-files';
import { withoutSecrets } from './without-secrets';

export interface EngineChild {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Env;
}

/** Where the program is absent, or broken, the engine is told why, and says so or ends. */
function limited(command: readonly string[], env: Env, program: string): Pick<EngineChild, 'args' | 'env'> {
  if (!hasOwnFilesOnly(env)) return { args: command, env };
  const fault = onlyFilesFault(program, env);
  if (fault !== null) return { args: command, env: { ...env, [onlyFilesFailure]: fault } };
  const words = Object.entries(filesOfEngine(env)).flatMap(([kind, paths]: [string, readonly string[]]) =>
    paths.flatMap((path) => [`--${kind}`, path]),
  );
  return { args: [program, ...words, '--', ...command], env };
}

/** Of temporary files, too, it has none in common with others. */
function ownFolder({ ROUNDHOUSE_ENGINE_SOCKET: socket, ...env }: Env): Env {
  return socket !== undefined && hasOwnFilesOnly(env) ? { TMPDIR: dirname(socket) } : {};
}

/**
 * How an engine is started, whoever starts it: it ends with us, and of our environment it has no secrets. Unless
 * ROUNDHOUSE_ENGINE_CONFINEMENT is off it has no privileges either, and opens its own files alone.
 */
export function engineChild(
  command: readonly string[],
  env: Env,
  own: Env,
  launcher = onlyFiles,
): EngineChild {
  const all = { ...fewHeaps, ...withoutSecrets(env), ...own };
  const withoutPrivileges = env['ROUNDHOUSE_ENGINE_CONFINEMENT'] !== 'off';
  const start = limited(command, { ...all, ...ownFolder(all) }, launcher);
  const [program, ...args] = endsWithParent(start.args, { withoutPrivileges });
  return { program: program!, args, env: start.env };
}
