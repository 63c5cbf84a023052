import type { ServiceContext } from '#lib/service';
import { loadWorkerConfig, type WorkerConfig } from '../config';
import type { WorkerEvents } from '../events';
import { startRemotes, type RemotesParts } from './start-remotes';

const start = (env: Readonly<Record<string, string>>) => {
  const context = {
    config: loadWorkerConfig(env),
    onStop: () => undefined,
  } as unknown as ServiceContext<WorkerConfig>;
  return startRemotes(context, {} as RemotesParts, {} as WorkerEvents);
};

test('none unless they are asked for', async () => {
  await expect(start({})).resolves.toBeNull();
});

test('a worker that binds a wildcard has to say where others reach it', async () => {
  const env = { ROUNDHOUSE_REMOTE_ENGINES: 'redis', ROUNDHOUSE_BIND_HOST: '0.0.0.0' };
  await expect(start(env)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(start(env)).rejects.toThrow(/ROUNDHOUSE_ANNOUNCED_ADDRESS/);
});
