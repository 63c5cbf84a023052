import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelState } from '#lib/engine-client/port';
import { engineChild } from '#lib/engine-child';
import { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { EngineControl } from './engine-control';

const startMs = 300_000;
/** An engine waits for its core for some seconds. */
const stopMs = 15_000;
const lastWordsMs = 300;

/** In order, or for good where that takes too long. Resolves when it is gone. */
export async function stopChild(
  child: ChildProcess,
  ended: Promise<unknown>,
  patienceMs = stopMs,
): Promise<void> {
  const cut = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(cut);
}

const mostSaid = 8_192;

/** What a service says of its failure goes on to the end; before it stand lines of the core. */
export function failureIn(said: string): string {
  const at = said.lastIndexOf('engine: ');
  return (at < 0 ? (said.trimEnd().split('\n').at(-1) ?? '') : said.slice(at)).trim();
}

/** Resolves when a child has ended, to how it ended and what it said of that. */
export function endOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-mostSaid)));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      const tell = (): void => {
        const why = failureIn(said);
        resolve(`it ended with ${signal ?? `exit code ${code}`}${why === '' ? '' : `: ${why}`}`);
      };
      child.once('close', tell);
      // Others may hold its standard error open after it has ended.
      setTimeout(tell, lastWordsMs);
    });
  });
}

/**
 * Loads models in an engine that serves nobody, and says what became of each version: backends dry-run one while
 * it loads. The engine is gone afterwards.
 */
export async function tryInScratchEngine(
  modelsDir: string,
  models: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly ModelState[]> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-verify-'));
  const socket = join(folder, 'engine.sock');
  const main = projectPath('dist', 'services', 'inference-worker', 'engine', 'main.js');
  const { program, args, ...own } = engineChild([process.execPath, main], env, {
    ROUNDHOUSE_MODELS_DIR: modelsDir,
    ROUNDHOUSE_ENGINE_SOCKET: socket,
    ROUNDHOUSE_ENGINE_MODELS: models.join(','),
    ROUNDHOUSE_MODELS_POLL_MS: '0',
    ROUNDHOUSE_LOG_LEVEL: 'silent',
  });
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: own.env });
  const ended = endOf(child);
  const ready = new Promise<null>((resolve) => child.once('message', () => resolve(null)));
  const slow = setTimeout(() => child.kill('SIGKILL'), startMs);
  const control = new EngineControl(`unix:${socket}`);
  try {
    const failure = await Promise.race([ready, ended]);
    if (failure !== null) throw new RoundhouseError('ENGINE_LOST', `the engine for the trial: ${failure}`);
    return await control.index();
  } finally {
    clearTimeout(slow);
    control.close();
    await stopChild(child, ended);
    rmSync(folder, { recursive: true, force: true });
  }
}
