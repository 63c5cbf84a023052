import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '#launcher/pipeline';
import { connectEngine } from '#lib/engine-client/grpc';
import { isAlive } from '#lib/is-alive';
import type { UnixMs } from '#schemas/brands';
import { projectPath } from '#schemas/project-root';
import type { KillBy } from './options';

const endsWithinMs = 10_000;

/** What the pipeline needs for engines that are ended that way. */
export interface Means {
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

/** For a broken GPU: the shipped models, and beside them the one that fails as it is told to. */
export function meansFor(by: KillBy): Means {
  if (by === 'sigkill') return { env: {}, remove: () => undefined };
  const models = mkdtempSync(join(tmpdir(), 'roundhouse-recovery-'));
  cpSync(projectPath('models'), models, { recursive: true });
  cpSync(projectPath('test', 'fixtures', 'fault-injection'), models, { recursive: true });
  return {
    env: { ROUNDHOUSE_FAULT_INJECTION: '1', ROUNDHOUSE_MODELS_DIR: models },
    remove: () => rmSync(models, { recursive: true, force: true }),
  };
}

async function breakGpu({ workerGrpc }: Pipeline): Promise<void> {
  const client = connectEngine({ address: workerGrpc });
  const input = { name: 'IN', datatype: 'UINT8' as const, shape: [1], data: Buffer.from('x') };
  const request = { model: 'fault_injection', version: '', requestId: 'fault', inputs: [input] };
  const deadline = (Date.now() + endsWithinMs) as UnixMs;
  try {
    await client.infer({ ...request, parameters: { illegal_address: true } }, deadline);
  } catch (error) {
    // The engine may be gone before it could answer.
    if (!/^(ENGINE_LOST|DEVICE_FAULT)$/.test((error as { code: string }).code)) throw error;
  } finally {
    await client.close();
  }
}

/** Resolves to the milliseconds until the process is gone; rejects where it stays. */
export async function endEngine(by: KillBy, pipeline: Pipeline, pid: number): Promise<number> {
  const startedAt = performance.now();
  if (by === 'sigkill') process.kill(pid, 'SIGKILL');
  else await breakGpu(pipeline);
  while (isAlive(pid)) {
    if (performance.now() - startedAt > endsWithinMs) throw new Error(`engine ${pid} stays`);
    await sleep(5);
  }
  return performance.now() - startedAt;
}
