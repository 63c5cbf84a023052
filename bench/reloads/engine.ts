import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fewHeaps } from '#lib/few-heaps';
import { projectPath } from '#schemas/project-root';

/** An engine whose JavaScript is collected all the time, so that what grows is kept by somebody. */
export function startEngine(models: string, socket: string): Promise<ChildProcess> {
  const entry = projectPath('dist/services/inference-worker/engine/main.js');
  const flags = ['--expose-gc', '--require', join(__dirname, 'collect-garbage.js')];
  const child = spawn(process.execPath, [...flags, entry], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...fewHeaps,
      PATH: process.env['PATH'],
      ROUNDHOUSE_MODELS_DIR: models,
      ROUNDHOUSE_ENGINE_SOCKET: socket,
      ROUNDHOUSE_LOG_LEVEL: 'warn',
    },
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
  });
}
