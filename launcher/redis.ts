import { mkdirSync } from 'node:fs';
import type { EmbeddedOptions, EmbeddedServer } from './broker';
import { freePort, loopback, requireFreePort } from './ports';
import { SupervisedProcess } from './processes';
import { redisAnswers } from './tcp-probe';
import { toolchainPath } from './toolchain';

/**
 * A real Redis. The append-only file is written before a command is answered, so a killed server loses
 * nothing that it acknowledged: what is written belongs to the kernel. That needs `appendfsync no`:
 * `everysec` puts the write off for up to two seconds while an fsync of another thread is under way, and
 * answers all the same. An fsync would matter only if the whole machine fell, which ends this run anyway.
 */
export async function startRedis(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (options.port !== undefined) await requireFreePort(options.port, 'Redis');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(options, options.port ?? (await freePort()));
    } catch (error) {
      if (options.port !== undefined || attempt === 3 || !/already in use/.test(String(error))) throw error;
    }
  }
}

async function startOn(options: EmbeddedOptions, port: number): Promise<EmbeddedServer> {
  mkdirSync(options.folder, { recursive: true });
  const redis = new SupervisedProcess(
    {
      name: 'redis',
      command: toolchainPath(options.env, 'redis', 'redis-server'),
      args: redisArguments(options.folder, port),
      environment: () => options.env,
      logFile: options.logFile,
      ready: () => redisAnswers(port),
      readyTimeoutMs: 20_000,
      stopTimeoutMs: 5_000,
      restarts: true,
    },
    options.onEvent,
  );
  options.onSpawn?.(redis);
  await redis.start();
  return { address: `${loopback}:${port}`, process: redis };
}

function redisArguments(folder: string, port: number): string[] {
  const settings = {
    bind: loopback,
    port,
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'no',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]);
}
