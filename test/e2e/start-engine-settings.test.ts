import { readdirSync } from 'node:fs';
import { LauncherProcess } from './launcher-process';

jest.setTimeout(120_000);

test.each([
  [['--serve'], { ROUNDHOUSE_INGEST_HTTP_PORT: '80800' }],
  [['--orders', '20'], { ROUNDHOUSE_INGEST_MAX_ORDERS: 'many' }],
])('%j with bad settings of several services: all are told, and no server is started', async (args, env) => {
  const bad = { ...env, ROUNDHOUSE_DEVICES: 'nonsense', ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW: '0' };
  const launcher = new LauncherProcess(args, bad);
  expect(await launcher.ended).toEqual({ code: 2, signal: null });
  const { output } = launcher;
  expect(output).toMatch(/^CONFIG_INVALID: 3 faults in the configuration:$/m);
  for (const key of Object.keys(bad)) expect(output.match(new RegExp(`^ {2}${key}=`, 'gm'))).toHaveLength(1);
  expect(output).not.toMatch(/(broker|redis) (is )?(ready|up)|Its log/);
});

// It takes the engine to know which GPUs there are.
test('a setting that only the engine can judge ends a start at once with exit code 2 and the reason, once', async () => {
  const launcher = new LauncherProcess(['--serve'], {
    ROUNDHOUSE_DEVICES: '0,0',
    ROUNDHOUSE_INGEST_HTTP_PORT: '0',
    ROUNDHOUSE_INGEST_GRPC_PORT: '0',
    ROUNDHOUSE_WORKER_HTTP_PORT: '0',
    ROUNDHOUSE_WORKER_GRPC_PORT: '0',
    ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT: '0',
    ROUNDHOUSE_WORKER_METRICS_PORT: '0',
    ROUNDHOUSE_AGGREGATOR_HTTP_PORT: '0',
  });
  const { code } = await launcher.ended;
  const { output } = launcher;
  expect(output).toMatch(/^CONFIG_INVALID: worker: the engine: /m);
  expect(output.match(/ROUNDHOUSE_DEVICES names GPU 0 twice/g)).toHaveLength(1);
  expect(output).not.toMatch(/is lost|ServiceFailed|waiting for worker \([A-Z]\w+\)/);
  const logs = /^The logs of this run stay in (.*) until 3 later ones have failed$/m.exec(output)?.[1];
  expect(readdirSync(logs!)).toContain('worker.log');
  expect(code).toBe(2);
});
