import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectPath } from '#schemas/project-root';
import { startStack } from '../support/stack';
import { AggregatorHarness, inMs, roundOf } from './aggregator-harness';

const mainFile = projectPath('dist', 'services', 'aggregator', 'main.js');
const stack = startStack('aggregator-exits');
const free = { ROUNDHOUSE_AGGREGATOR_HTTP_PORT: '0', ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '2000' };
const nowhere = '127.0.0.1:1';

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
}

async function runToItsEnd(env: Record<string, string>): Promise<Ended> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [mainFile], {
    env: { ...process.env, ...stack.env, ...free, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, ms: performance.now() - startedAt };
}

async function forkReady(): Promise<ChildProcess> {
  const child = fork(mainFile, [], { env: { ...process.env, ...stack.env, ...free }, stdio: 'ignore' });
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
    const { code, output, ms } = await runToItsEnd({ ...env, ROUNDHOUSE_STARTUP_TIMEOUT_MS: '3000' });
    expect(code).toBe(3);
    expect(output).toContain(`waiting for ${name} at ${nowhere}`);
    expect(output).toContain(`DEPENDENCY_ABSENT: ${name} at ${nowhere} did not answer in 3000 ms`);
    expect(ms).toBeGreaterThan(2_900);
  },
  60_000,
);

test('SIGTERM while it waits: exit code 0', async () => {
  const env = { ...process.env, ...stack.env, ...free, KAFKA_BROKERS: nowhere };
  const child = spawn(process.execPath, [mainFile], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  while (!output.includes('waiting for Kafka')) await sleep(20);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}, 60_000);

test('a port in use is named, exit code 1', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const { code, output } = await runToItsEnd({ ROUNDHOUSE_AGGREGATOR_HTTP_PORT: port });
  server.close();
  expect(code).toBe(1);
  expect(output).toContain('PORT_IN_USE');
  expect(output).toContain(port);
}, 60_000);

test('a clock that differs from the broker by more than the limit is refused, with both figures', async () => {
  // The clock of this process alone runs an hour ahead: a module loaded first moves Date.now.
  const ahead = 'data:text/javascript,Date.now=((now)=>()=>now()+3600000)(Date.now)';
  const { code, output } = await runToItsEnd({ NODE_OPTIONS: `--import=${ahead}` });
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
  try {
    const [open, closing] = [roundOf({ deadline: inMs(60_000) }), roundOf({ deadline: inMs(5_000) })];
    const first = await forkReady();
    for (const round of [open, closing]) {
      await harness.publishRound(round);
      await harness.publishOutcomes(round.outcomes.slice(1));
    }
    await sleep(500);
    first.kill('SIGTERM');
    // It sees through what is due within ten seconds, and leaves the rest to the next instance.
    expect(await once(first, 'exit')).toEqual([0, null]);
    const { decision, appendedAt } = await harness.decisionOf(closing, 1_000);
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
    await harness.stop();
  }
}, 120_000);
