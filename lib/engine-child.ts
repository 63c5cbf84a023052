import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { projectPath } from '#schemas/project-root';
import type { Env } from './config';
import { endsWithParent } from './ends-with-parent';
import { filesOfEngine, hasOwnFilesOnly } from './engine-files';
import { fewHeaps } from './few-heaps';
import { withoutSecrets } from './without-secrets';

export interface EngineChild {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Env;
}

/** Built with the addons (native/confine/launch). */
const onlyFiles = projectPath('build', 'native', 'only-files');

/** Also not where it was copied without its mode, which would start no engine at all. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Without the program the engine says what it lacks, or ends. */
function limited(command: readonly string[], env: Env): readonly string[] {
  if (!hasOwnFilesOnly(env) || !isProgram(onlyFiles)) return command;
  const words = Object.entries(filesOfEngine(env)).flatMap(([kind, paths]: [string, readonly string[]]) =>
    paths.flatMap((path) => [`--${kind}`, path]),
  );
  return [onlyFiles, ...words, '--', ...command];
}

/** Of temporary files, too, it has none in common with others. */
function ownFolder({ ROUNDHOUSE_ENGINE_SOCKET: socket, ...env }: Env): Env {
  return socket !== undefined && hasOwnFilesOnly(env) ? { TMPDIR: dirname(socket) } : {};
}

/**
 * How an engine is started, whoever starts it: it ends with us, and of our environment it has no secrets. Unless
 * ROUNDHOUSE_ENGINE_CONFINEMENT is off it has no privileges either, and opens its own files alone.
 */
export function engineChild(command: readonly string[], env: Env, own: Env): EngineChild {
  const all = { ...fewHeaps, ...withoutSecrets(env), ...own };
  const withoutPrivileges = env['ROUNDHOUSE_ENGINE_CONFINEMENT'] !== 'off';
  const [program, ...args] = endsWithParent(limited(command, all), { withoutPrivileges });
  return { program: program!, args, env: { ...all, ...ownFolder(all) } };
}
