import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#schemas/project-root';
import { killedWithFile } from './closed-with-file';

interface Ended {
  readonly code: number | null;
  /** Both of its streams. */
  readonly output: string;
  readonly ms: number;
}

type Service = 'aggregator' | 'inference-worker' | 'inference-worker/serve-models' | 'ingest' | 'ops';

export const mainFileOf = (service: Service): string => projectPath('dist', 'services', service, 'main.js');

/** Runs a service as a process until it ends by itself. */
export async function runToItsEnd(service: Service, env: NodeJS.ProcessEnv): Promise<Ended> {
  const startedAt = performance.now();
  const { child, output } = spawnService(service, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output(), ms: performance.now() - startedAt };
}

/** A service as a process, and what it has written so far. */
export function spawnService(
  service: Service,
  env: NodeJS.ProcessEnv,
): { readonly child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, [mainFileOf(service)], {
    env: { ...process.env, ...env },
    cwd: projectPath(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killedWithFile(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  }
  return { child, output: () => text };
}
