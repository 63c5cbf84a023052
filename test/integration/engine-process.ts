import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { engineChild } from '#lib/engine-child';
import { fewHeaps } from '#lib/few-heaps';
import { projectPath } from '#schemas/project-root';
import { killedWithFile } from '../support/closed-with-file';

export interface LogLine {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface RunningEngine {
  /** For clients: `unix:…`. */
  readonly address: string;
  readonly socket: string;
  readonly child: ChildProcess;
  readonly log: readonly LogLine[];
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
}

export interface StartOptions {
  /** Without privileges and with its own files alone, as the supervisor starts it. */
  readonly confined?: boolean;
  /** What closes files to a confined one, if not `build/native/only-files`. */
  readonly launcher?: string;
}

/** Resolves at the engine's ready message, rejects when it ends before. */
export function startEngineProcess(
  modelsDir: string,
  env: Readonly<Record<string, string>> = {},
  { confined = false, launcher }: StartOptions = {},
): Promise<RunningEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-engine-'));
  const socket = env['ROUNDHOUSE_ENGINE_SOCKET'] ?? join(folder, 'engine.sock');
  const command = [process.execPath, projectPath('dist/services/inference-worker/engine/main.js')];
  const all = {
    ...fewHeaps,
    PATH: process.env['PATH'],
    ROUNDHOUSE_MODELS_DIR: modelsDir,
    ROUNDHOUSE_ENGINE_SOCKET: socket,
    ...env,
  };
  const bare = { program: command[0]!, args: command.slice(1), env: all };
  const { program, args, ...own } = confined ? engineChild(command, all, {}, launcher) : bare;
  const child = killedWithFile(
    spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: own.env }),
  );
  const log: LogLine[] = [];
  let errors = '';
  createInterface({ input: child.stdout! }).on('line', (line) => log.push(JSON.parse(line) as LogLine));
  child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
  // However it ends: tests kill engines, too.
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      resolve(code);
    }),
  );
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve({ address: `unix:${socket}`, socket, child, log, stop }));
    void ended.then((code) =>
      reject(Object.assign(new Error(`the engine ended with ${code}: ${errors}`), { code })),
    );
  });
}
