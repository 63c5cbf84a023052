import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHealthServer, type HealthServer } from '#lib/health';
import { createTelemetry, type Telemetry } from '#lib/telemetry';
import { freePort } from '#launcher/ports';
import { toolchainPath } from '#launcher/toolchain';
import { aggregatorEvents } from '#services/aggregator/events';
import { workerEvents } from '#services/inference-worker/events';
import { TritonFamilies } from '#services/inference-worker/admission/triton-metrics';
import { ingestEvents } from '#services/ingest/events';
import { opsEvents } from '#services/ops/events';
import { until } from '../support/until';

jest.setTimeout(120_000);

const program = (name: string) => toolchainPath(process.env, 'prometheus', name);
const isThere = existsSync(program('prometheus')) && existsSync(program('promtool'));
if (!isThere) console.warn('the format of metrics is not tested: run "npm run setup -- prometheus"');
const describePrometheus: typeof describe.skip = isThere ? describe : describe.skip;

const makers = {
  ingest: ingestEvents,
  'inference-worker': workerEvents,
  aggregator: aggregatorEvents,
  ops: opsEvents,
};
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const triton =
  '# HELP nv_inference_count Of Triton\n# TYPE nv_inference_count counter\nnv_inference_count{model="m",version="1"} 7\n';

function telemetryOf(service: string): Telemetry {
  const telemetry = createTelemetry({ service, logLevel: 'silent' });
  (makers as Record<string, (telemetry: Telemetry) => unknown>)[service]!(telemetry);
  return telemetry;
}

describePrometheus('by Prometheus itself', () => {
  test.each(Object.keys(makers))("promtool has nothing to say about %s's metrics", async (service) => {
    const { body: input } = await telemetryOf(service).registry.scrape();
    const { stdout, stderr } = spawnSync(program('promtool'), ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    // Three gauges of prom-client are named like counters.
    expect(said.filter((line) => !/^nodejs_active_(handles|requests|resources)_total /.test(line))).toEqual(
      [],
    );
  });

  describe('scraped as OpenMetrics', () => {
    const folder = mkdtempSync(join(tmpdir(), 'roundhouse-prometheus-'));
    let server: HealthServer;
    let prometheus: ChildProcess;
    let url: string;

    beforeAll(async () => {
      const { registry } = telemetryOf('inference-worker');
      registry.histogram('dispatch_test_seconds', 'Test.', [1]).observe({}, 0.25, traceId);
      registry.addSource(() => {
        const read = new TritonFamilies();
        read.add(triton, 'gpu:0');
        return read.all();
      });
      const checks = { kafka: () => null, engine: () => 'it has not started yet' };
      server = await startHealthServer({ registry, checks, host: '127.0.0.1', port: 0 });
      const scrape = `scrape_configs:\n  - job_name: test\n    scrape_interval: 1s\n    static_configs: [{ targets: ['127.0.0.1:${server.port}'] }]\n`;
      writeFileSync(join(folder, 'prometheus.yml'), scrape);
      url = `127.0.0.1:${await freePort()}`;
      const flags = [
        `--web.listen-address=${url}`,
        '--enable-feature=exemplar-storage',
        '--storage.tsdb.path=data',
      ];
      const options = { cwd: folder, stdio: 'ignore' } as const;
      prometheus = spawn(program('prometheus'), ['--config.file=prometheus.yml', ...flags], options);
    });
    afterAll(async () => {
      prometheus.kill('SIGKILL');
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function ask(path: string, query: string): Promise<unknown[]> {
      const parameters = new URLSearchParams({ query, start: '0', end: String(Date.now() / 1_000 + 60) });
      const answer = await fetch(`http://${url}/api/v1/${path}?${parameters.toString()}`).catch(() => null);
      const { data } = ((await answer?.json().catch(() => null)) ?? {}) as { data?: unknown };
      return (Array.isArray(data) ? data : ((data as { result?: unknown[] })?.result ?? [])) as unknown[];
    }

    test('counters keep their names, Triton its own, and readiness is there by check', async () => {
      await until(async () => (await ask('query', 'up == 1')).length === 1, 'a good scrape');
      for (const name of [
        'dispatch_shards_resent_total',
        'nv_inference_count{engine="gpu:0"} == 7',
        'dispatch_ready{check="kafka"} == 1',
        'dispatch_ready{check="engine"} == 0',
      ])
        await until(async () => (await ask('query', name)).length === 1, name);
    });

    test('a value leads to its trace', async () => {
      const exemplars = async () =>
        JSON.stringify(await ask('query_exemplars', 'dispatch_test_seconds_bucket'));
      await until(async () => (await exemplars()).includes(traceId), 'the exemplar');
      expect(await exemplars()).toContain('"value":"0.25"');
    });
  });
});
