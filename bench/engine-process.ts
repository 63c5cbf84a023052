import { spawn, type ChildProcess } from 'node:child_process';
import { fewHeaps } from '#lib/few-heaps';
import { projectPath } from '#schemas/project-root';

interface EngineOptions {
  readonly models: string;
  readonly socket: string;
  /** Of Node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** An engine as a worker starts it; resolves when it is ready. */
export function startEngine({ models, socket, flags = [], env = {} }: EngineOptions): Promise<ChildProcess> {
  const entry = projectPath('dist/services/inference-worker/engine/main.js');
  const child = spawn(process.execPath, [...flags, entry], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...fewHeaps,
      PATH: process.env['PATH'],
      ROUNDHOUSE_MODELS_DIR: models,
      ROUNDHOUSE_ENGINE_SOCKET: socket,
      ...env,
    },
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
  });
}
