import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { roundKey } from '#schemas/topics';
import { mainFileOf, runToItsEnd, spawnService } from '../support/run-service';
import { startStack } from '../support/stack';
import { until } from '../support/until';
import { AggregatorHarness, inMs, roundOf } from './aggregator-harness';
import { closedWithFile, killedWithFile } from '../support/closed-with-file';

const stack = startStack('aggregator-exits');
const free = { ROUNDHOUSE_AGGREGATOR_HTTP_PORT: '0', ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '2000' };
const nowhere = '127.0.0.1:1';

const runAggregator = (env: Record<string, string>) =>
  runToItsEnd('aggregator', { ...stack.env, ...free, ...env });

async function forkReady(): Promise<ChildProcess> {
  const child = killedWithFile(
    fork(mainFileOf('aggregator'), [], {
      env: { ...process.env, ...stack.env, ...free },
      stdio: 'ignore',
    }),
  );
  const [message] = (await once(child, 'message')) as [{ type: string; ports: { http: number } }];
  expect(message).toMatchObject({ type: 'ready', ports: { http: expect.any(Number) as number } });
  return child;
}

test.each([
  ['Kafka', { KAFKA_BROKERS: nowhere }],
  ['Redis', { REDIS_URL: `redis://${nowhere}` }],
])(
  '%s absent: says what it waits for, gives up after the configured time, exit code 3',
  async (name, env) => {
    const { code, output, ms } = await runAggregator({ ...env, ROUNDHOUSE_STARTUP_TIMEOUT_MS: '3000' });
    expect(code).toBe(3);
    expect(output).toContain(`waiting for ${name} at ${nowhere}`);
    expect(output).toContain(`DEPENDENCY_ABSENT: ${name} at ${nowhere} did not answer in 3000 ms`);
    expect(ms).toBeGreaterThan(2_900);
  },
  60_000,
);

test('SIGTERM while it waits: exit code 0', async () => {
  const env = { ...stack.env, ...free, KAFKA_BROKERS: nowhere };
  const { child, output } = spawnService('aggregator', env);
  await until(() => output().includes('waiting for Kafka'), 'it waits');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}, 60_000);

test('a port in use is named, exit code 1', async () => {
  const server = closedWithFile(createServer().listen(0, '127.0.0.1'), (taken) => taken.close());
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const { code, output } = await runAggregator({ ROUNDHOUSE_AGGREGATOR_HTTP_PORT: port });
  server.close();
  expect(code).toBe(1);
  expect(output).toContain(
    `PORT_IN_USE: 127.0.0.1:${port} is in use: set ROUNDHOUSE_AGGREGATOR_HTTP_PORT to another port`,
  );
}, 60_000);

test('a clock that differs from the broker by more than the limit is refused, with both figures', async () => {
  // The clock of this process alone runs an hour ahead: a module loaded first moves Date.now.
  const ahead = 'data:text/javascript,Date.now=((now)=>()=>now()+3600000)(Date.now)';
  const { code, output } = await runAggregator({ NODE_OPTIONS: `--import=${ahead}` });
  expect(code).toBe(1);
  expect(output).toMatch(
    /CLOCK_SKEWED: our clock is 3[56]\d{5} ms ahead of the broker's; the limit is 2000 ms/,
  );
}, 60_000);

test('SIGTERM and the loss of its parent: exit code 0', async () => {
  const asked = await forkReady();
  asked.kill('SIGTERM');
  expect(await once(asked, 'exit')).toEqual([0, null]);
  const orphan = await forkReady();
  orphan.disconnect(); // what the kernel does for a dead parent
  expect(await once(orphan, 'exit')).toEqual([0, null]);
}, 60_000);

test('stopped in order with a round in flight: exit code 0, and the next instance decides it, once', async () => {
  const harness = await AggregatorHarness.start(stack, 0);
  const redis = new Redis(stack.redisUrl);
  try {
    const first = await forkReady();
    const [open, closing] = [roundOf({ deadline: inMs(120_000) }), roundOf({ deadline: inMs(7_000) })];
    for (const round of [open, closing]) {
      await harness.publishRound(round);
      await harness.publishOutcomes(round.outcomes.slice(1));
      const key = `${stack.topicPrefix}aggregator:outcomes:${roundKey(round.manifest.round)}`;
      await until(async () => (await redis.llen(key)) === round.outcomes.length - 1, 'outcomes in Redis');
    }
    first.kill('SIGTERM');
    // It sees through what is due within nine seconds, and leaves the rest to the next instance.
    expect(await once(first, 'exit')).toEqual([0, null]);
    const { decision, appendedAt } = await harness.decisionOf(closing);
    expect(appendedAt).toBeLessThanOrEqual(decision.deadline);
    expect(harness.decisionsOf(open)).toEqual([]);
    const second = await forkReady();
    await harness.publishOutcomes(open.outcomes.slice(0, 1));
    const found = await harness.decisionOf(open);
    expect(found.decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
    second.kill('SIGTERM');
    expect(await once(second, 'exit')).toEqual([0, null]);
    for (const round of [open, closing]) expect(harness.decisionsOf(round)).toHaveLength(1);
  } finally {
    redis.disconnect();
    await harness.stop();
  }
}, 180_000);
