import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fewHeaps } from '#lib/few-heaps';
import { projectPath } from '#schemas/project-root';

export const model = 'pass_through';

const config = `backend: "pass_through"
max_batch_size: 0
input [ { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]
`;

/** A model repository with the pass-through model of test/native. */
export function makeRepository(folder: string): string {
  const repository = join(folder, 'models');
  mkdirSync(join(repository, model, '1'), { recursive: true });
  writeFileSync(join(repository, model, 'config.pbtxt'), config);
  return repository;
}

export function startEngine(models: string, socket: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [projectPath('dist/services/inference-worker/engine/main.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...fewHeaps,
      PATH: process.env['PATH'],
      ROUNDHOUSE_MODELS_DIR: models,
      ROUNDHOUSE_ENGINE_SOCKET: socket,
      ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT: '2000',
      ROUNDHOUSE_ENGINE_MAX_QUEUED: '2000',
    },
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
  });
}
