import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import type { Env } from './config';

/** Built with the addons (native/confine/launch). */
export const onlyFiles = projectPath('build', 'native', 'only-files');
/** In the environment of what it starts: why files are not closed although they were to be. */
export const onlyFilesFailure = 'ONLY_FILES_FAILURE';

const name = 'build/native/only-files';
/** Whoever starts an engine waits for it, and does nothing else meanwhile. */
const tryMs = 1_000;
/** They say something of the moment, nothing of the program: it may close files for the engine all the same. */
const ofTheMoment = ['ETIMEDOUT', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY'];
const mostSaid = 200;
/** A program that isn't there: that it says so needs all of its words, and no other program. */
const absent = '/not/there';
const words = ['--list', '--folders', '--read', '--create', '--write'].flatMap((word) => [word, '/']);
const said = `only-files: ${absent}: `;

/** Also not where it was copied without its mode, which would start no engine at all. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type Tried = Pick<SpawnSyncReturns<string>, 'error' | 'signal' | 'status' | 'stderr'>;

function howItEnded({ error, signal, status, stderr }: Tried): string {
  if (error !== undefined) return (error as NodeJS.ErrnoException).code ?? error.message;
  const first = stderr.trim().split('\n', 1)[0]!.slice(0, mostSaid);
  return `it ended with ${signal ?? status}${first === '' ? '' : `: ${first}`}`;
}

/** What a try says of the program. */
export function faultOfTry(tried: Tried): string | null {
  const ended = howItEnded(tried);
  if (tried.error !== undefined && ofTheMoment.includes(ended)) return null;
  const runs = tried.error === undefined && tried.stderr.split('\n').some((line) => line.startsWith(said));
  return runs ? null : `${name} does not run (${ended})`;
}

/**
 * Why no engine could be started through it, by a try; null where one can, and where the try was hindered: an engine
 * whose start fails is started again, but one with all files open would keep them for its whole life.
 */
export function onlyFilesFault(program: string, env: Env, patienceMs = tryMs): string | null {
  if (!isProgram(program)) return `${name} is not there, or no program`;
  return faultOfTry(
    spawnSync(program, [...words, '--', absent], {
      ...{ env, encoding: 'utf8', timeout: patienceMs, killSignal: 'SIGKILL' },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
}
