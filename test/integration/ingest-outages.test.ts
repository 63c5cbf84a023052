import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { projectPath } from '#schemas/project-root';
import { runToItsEnd } from '../support/run-service';
import { startStack } from '../support/stack';
import { until } from '../support/until';
import { roundBody } from './ingest-harness';

const stack = startStack('ingest-outages');
const json = { 'content-type': 'application/json' };
const anyPort = { ROUNDHOUSE_INGEST_HTTP_PORT: '0', ROUNDHOUSE_INGEST_GRPC_PORT: '0' };

const runIngest = (env: Record<string, string>) =>
  runToItsEnd('ingest', { ...stack.env, ...anyPort, ROUNDHOUSE_STARTUP_TIMEOUT_MS: '2500', ...env });

async function takePort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: String((server.address() as AddressInfo).port), close: () => server.close() };
}

describe('at the start', () => {
  test('every fault of the configuration is printed, and it exits with 2', async () => {
    const { code, output } = await runIngest({
      ROUNDHOUSE_INGEST_MAX_ORDERS: '70000',
      ROUNDHOUSE_INGEST_MAX_ORDER: '5',
      ROUNDHOUSE_INGEST_HTTP_PORT: 'http',
    });
    expect(code).toBe(2);
    expect(output).toMatch(/3 faults in the configuration/);
    expect(output).toMatch(/ROUNDHOUSE_INGEST_MAX_ORDERS="70000": a whole number from 1 to 65534/);
    expect(output).toMatch(/ROUNDHOUSE_INGEST_MAX_ORDER: did you mean ROUNDHOUSE_INGEST_MAX_ORDERS\?/);
    expect(output).toMatch(/ROUNDHOUSE_INGEST_HTTP_PORT="http"/);
  }, 30_000);

  test('an address that is not ours is named, and it exits with 2', async () => {
    const { code, output } = await runIngest({ ROUNDHOUSE_BIND_HOST: '192.0.2.1' });
    expect(code).toBe(2);
    expect(output).toMatch(/CONFIG_INVALID: cannot listen on 192\.0\.2\.1/);
  }, 30_000);

  test('a model repository without labels is named', async () => {
    const { code, output } = await runIngest({ ROUNDHOUSE_MODELS_DIR: projectPath('docs') });
    expect(code).toBe(2);
    expect(output).toMatch(/labels\.json/);
  }, 30_000);

  test.each([
    ['Kafka', { KAFKA_BROKERS: '127.0.0.1:9' }],
    ['Redis', { REDIS_URL: 'redis://127.0.0.1:9' }],
  ])(
    'an absent %s is waited for and named, and it exits with 3',
    async (name, env) => {
      const { code, output, ms } = await runIngest(env);
      expect(code).toBe(3);
      expect(ms).toBeGreaterThan(2_500);
      expect(output).toMatch(new RegExp(`waiting for ${name} at 127.0.0.1:9`));
      expect(output).toMatch(
        new RegExp(`DEPENDENCY_ABSENT: ${name} at 127.0.0.1:9 did not answer in 2500 ms`),
      );
    },
    30_000,
  );

  test.each(['ROUNDHOUSE_INGEST_HTTP_PORT', 'ROUNDHOUSE_INGEST_GRPC_PORT'])(
    '%s in use',
    async (key) => {
      const { port, close } = await takePort();
      const { code, output } = await runIngest({ [key]: port, ROUNDHOUSE_STARTUP_TIMEOUT_MS: '20000' });
      close();
      expect(code).toBe(1);
      expect(output).toContain(`PORT_IN_USE: 127.0.0.1:${port} is in use: set ${key} to another port`);
    },
    60_000,
  );
});

describe('while it runs', () => {
  let pipeline: Pipeline;
  const post = async (roundId: string) => {
    const reply = await fetch(`${pipeline.ingestUrl}/v1/rounds`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(roundBody(roundId)),
    });
    return {
      status: reply.status,
      retryAfter: reply.headers.get('retry-after'),
      body: (await reply.json()) as any,
    };
  };
  const ready = async () => (await fetch(`${pipeline.ingestUrl}/readyz`)).json() as Promise<any>;

  beforeAll(async () => {
    pipeline = await startPipeline({
      inheritedEnv: process.env,
      counts: { worker: 0, aggregator: 0 },
      serviceEnv: { ingest: { ROUNDHOUSE_INGEST_PUBLISH_TIMEOUT_MS: '1500' } },
    });
  }, 120_000);
  afterAll(() => pipeline?.stop(), 60_000);

  test('without Redis rounds are refused with 503 in time, and accepted again behind it', async () => {
    expect((await post('o1')).status).toBe(202);
    await pipeline.kill('redis');
    const refused = await post('o2');
    expect(refused).toMatchObject({ status: 503, retryAfter: '1', body: { error: 'DEPENDENCY_ABSENT' } });
    expect((await ready()).reasons).toHaveProperty('redis');
    await pipeline.restart('redis');
    // The client's next attempt to connect may be a few hundred milliseconds away.
    const deadline = Date.now() + 20_000;
    let status = 0;
    while (status !== 202 && Date.now() < deadline) status = (await post('o2')).status;
    expect(status).toBe(202);
  }, 60_000);

  test.each([
    ['is full', { maxmemory: '1' }, { maxmemory: '0' }, /OOM command not allowed/],
    [
      'wants replicas that are not there',
      { 'min-replicas-to-write': '1' },
      { 'min-replicas-to-write': '0' },
      /NOREPLICAS/,
    ],
    ['is a replica', 'replicaof 127.0.0.1 9', 'replicaof no one', /READONLY/],
  ] as const)(
    'a Redis that %s is not ready, with its own words',
    async (_, spoil, repair, words) => {
      const redis = new Redis(pipeline.redisUrl);
      const apply = async (change: string | Record<string, string>) => {
        if (typeof change === 'string') return redis.call(...(change.split(' ') as [string, ...string[]]));
        for (const [key, value] of Object.entries(change)) await redis.config('SET', key, value);
      };
      await apply(spoil);
      const { status } = await post('spoiled');
      const { reasons } = await ready();
      await apply(repair);
      redis.disconnect();
      expect(status).toBe(503);
      expect(reasons.redis).toMatch(words);
      expect((await ready()).ready).toBe(true);
    },
    60_000,
  );

  test('without Kafka rounds are refused with 503 in time, and the same round is accepted behind it', async () => {
    await pipeline.kill('broker');
    const body = roundBody('o3');
    const send = () =>
      fetch(`${pipeline.ingestUrl}/v1/rounds`, { method: 'POST', headers: json, body: JSON.stringify(body) });
    const started = Date.now();
    expect((await send()).status).toBe(503);
    expect(Date.now() - started).toBeLessThan(15_000);
    // A probe's answer holds for 2 s.
    await until(async () => (await ready()).reasons?.kafka !== undefined, 'not ready');
    await pipeline.restart('broker');
    let status = 0;
    for (const giveUpAt = Date.now() + 30_000; status !== 202 && Date.now() < giveUpAt;) {
      status = (await send()).status;
    }
    expect(status).toBe(202);
  }, 90_000);

  test('asked to stop it ends a long poll at once and exits with 0', async () => {
    const poll = fetch(`${pipeline.ingestUrl}/v1/runs/run/rounds/o3/decision?waitMs=20000`);
    // Requests that came later have been answered.
    for (let i = 0; i < 5; i++) await ready();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const started = Date.now();
    pipeline.signal('ingest', 'SIGTERM');
    expect((await poll).status).toBe(202);
    expect(Date.now() - started).toBeLessThan(15_000); // it would have waited for twenty
  }, 60_000);
});
