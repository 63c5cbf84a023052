import { LauncherProcess } from './launcher-process';

jest.setTimeout(120_000);

test('a setting that only the engine reads ends a start at once with exit code 2 and the reason, once', async () => {
  const launcher = new LauncherProcess(['--serve'], {
    ROUNDHOUSE_DEVICES: 'nonsense',
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
  expect(output.match(/ROUNDHOUSE_DEVICES="nonsense"/g)).toHaveLength(1);
  expect(output).not.toMatch(/is lost|ServiceFailed|waiting for worker \([A-Z]\w+\)/);
  expect(code).toBe(2);
});
