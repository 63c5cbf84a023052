import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { topicsOf } from '#schemas/topics';
import { cityDay } from '#policy/simulation/city/city-day';
import { childrenOf } from '../../launcher/process-identity';
import { startPipeline, type Pipeline } from '../../launcher/pipeline';
import type { RoundReport } from '../../launcher/day/dispatched-rounds';
import { runDay } from '../../launcher/day/run-day';
import { anyPorts } from '../support/any-ports';
import { hasProgram } from '../support/has-program';
import { startStack } from '../support/stack';
import { LauncherProcess } from './launcher-process';

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

const rules = { targetClickToDoor: 40, maximumClickToDoor: 90, payPerOrder: 10, guaranteedPayPerHour: 15 };

describe('a short city day', () => {
  const { kafkaBrokers, redisUrl, topicPrefix, brokers } = startStack('day-city');
  const observations = () => countMessages(brokers, topicsOf(topicPrefix).observations);
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline({ inheritedEnv: process.env, kafkaBrokers, redisUrl, topicPrefix });
  }, 120_000);
  afterAll(() => pipeline?.stop(), 60_000);

  test('is dispatched round by round with the predictions of the network', async () => {
    const day = cityDay({ orders: 100, couriers: 14, merchants: 12, roundSeconds: 600 });
    const reports: RoundReport[] = [];
    const { ingestUrl } = pipeline;
    const run = await runDay(
      { day, rules, title: '', save: () => Promise.resolve(null) },
      {
        ingestUrl,
        deadlineMs: 5_000,
        signal: new AbortController().signal,
        onReport: (report) => reports.push(report),
      },
    );
    expect(run.totals).toMatchObject({ rounds: reports.length, late: 0, byDeadline: 0 });
    expect(run.metrics.delivered).toBeGreaterThanOrEqual(90); // of 100
    expect(reports.every(({ decision }) => decision.coverage === 1)).toBe(true);
    const models = new Set(reports.flatMap(({ decision }) => decision.models.map(({ name }) => name)));
    expect(models).toContain('delivery_time');
    // Held stops come back: some plan has more stops than its new orders need.
    const assignments = reports.flatMap(({ decision }) => decision.assignments);
    expect(assignments.some(({ orderIds, stops }) => stops.length > 2 * orderIds.length)).toBe(true);
    // The network, not the merchant's estimate, says when a meal is ready.
    expect(predictedWaits(reports)).toBeGreaterThan(0);
    // Every delivered order was observed twice: at its pickup and at its drop-off.
    expect(await observations()).toBe(2 * run.metrics.delivered);
  }, 180_000);
});

async function countMessages(brokers: readonly string[], topic: string): Promise<number> {
  const { logger } = createTelemetry({ service: 'test', logLevel: 'silent' });
  const bus = connectBus({ brokers, clientId: 'test-day-city', logger });
  let count = 0;
  try {
    await bus.readRange({ topic, from: 'earliest', handle: () => (count += 1) });
  } finally {
    await bus.close();
  }
  return count;
}

/** Pickups that are planned to wait for another moment than the stated ready time. */
function predictedWaits(reports: readonly RoundReport[]): number {
  return reports.flatMap(({ round, decision }) => {
    const stated = new Map(round.orders.map((order) => [order.orderId, order]));
    return decision.assignments
      .flatMap(({ stops }) => stops)
      .filter(({ kind }) => kind === 'pickup')
      .filter(({ orderIds, arriveAt, servedAt }) => {
        const orders = orderIds.map((orderId) => stated.get(orderId)!);
        const waits = servedAt > arriveAt + Math.max(...orders.map(({ pickup }) => pickup.preServiceSeconds));
        return waits && orders.every(({ readyAt }) => readyAt !== servedAt);
      });
  }).length;
}

describe('npm start', () => {
  const running: LauncherProcess[] = [];
  afterEach(() => running.splice(0).forEach((launcher) => launcher.kill()));
  const { kafkaBrokers, redisUrl } = startStack('day-start');
  const start = (args: string[], topicPrefix: string) => {
    const env = { KAFKA_BROKERS: kafkaBrokers, REDIS_URL: redisUrl, ROUNDHOUSE_TOPIC_PREFIX: topicPrefix };
    const launcher = new LauncherProcess(args, env);
    running.push(launcher);
    return launcher;
  };

  test('shows a plain line a round and a table, and leaves nothing behind', async () => {
    const launcher = start(['--orders', '20', '--couriers', '6', '--f', '30'], 'day-start-whole.');
    await launcher.until(/^\d\d:\d\d {2}open/m, 90_000);
    const children = childrenOf(launcher.pid);
    expect(await launcher.ended).toEqual({ code: 0, signal: null });
    expect(launcher.output).toMatch(
      /^\d\d:\d\d {2}open .* shards .* candidates .* coverage 100% .* decided /m,
    );
    expect(launcher.output).toMatch(/orders delivered +\d+ of 20/);
    expect(launcher.output).toMatch(/decision latency +p50 \d+ ms, p99 \d+ ms/);
    expect(launcher.output).toMatch(/closed complete, \d+ by deadline/);
    expect(launcher.output).not.toContain('\u001b');
    expect(children.filter(isAlive)).toEqual([]);
  }, 120_000);

  test('counts the engines that were lost on the way', async () => {
    const launcher = start(['--orders', '20', '--couriers', '6', '--f', '30'], 'day-start-lost.');
    await launcher.until(/^\d\d:\d\d {2}open/m, 90_000);
    const [worker] = childrenOf(launcher.pid, 'inference-worker');
    const [engine] = childrenOf(worker!, join('engine', 'main.js'));
    process.kill(engine!, 'SIGKILL');
    expect(await launcher.ended).toEqual({ code: 0, signal: null });
    expect(launcher.output).toMatch(/^ {2}engines lost +1$/m);
  }, 120_000);

  test('Ctrl-C in the middle of a day ends everything', async () => {
    const launcher = start(['--deadline-ms', '5000'], 'day-start-stopped.');
    await launcher.until(/^\d\d:\d\d {2}open/m, 90_000);
    const children = childrenOf(launcher.pid);
    expect(children.length).toBeGreaterThanOrEqual(3);
    launcher.signal('SIGINT');
    expect(await launcher.ended).toEqual({ code: 130, signal: null });
    expect(children.filter(isAlive)).toEqual([]);
  }, 120_000);

  test('a reader that has seen enough ends it without a fault', async () => {
    const launcher = start([], 'day-start-head.');
    await launcher.until(/^\d\d:\d\d {2}open/m, 90_000);
    const children = childrenOf(launcher.pid);
    launcher.closeOutput();
    expect(await launcher.ended).toEqual({ code: 0, signal: null });
    expect(launcher.output).not.toContain('EPIPE');
    expect(children.filter(isAlive)).toEqual([]);
  }, 120_000);

  test('Ctrl-C while the pipeline is starting ends everything, too', async () => {
    const launcher = start([], 'day-start-early.');
    await launcher.until(/starting ingest/, 30_000);
    while (childrenOf(launcher.pid).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const children = childrenOf(launcher.pid);
    launcher.signal('SIGINT');
    expect(await launcher.ended).toEqual({ code: 130, signal: null });
    expect(children.filter(isAlive)).toEqual([]);
  }, 120_000);

  test('--serve ends with a fault when a process does not stay up', async () => {
    const env = { KAFKA_BROKERS: kafkaBrokers, REDIS_URL: redisUrl, ROUNDHOUSE_TOPIC_PREFIX: 'day-lost.' };
    const launcher = new LauncherProcess(['--serve'], { ...env, ...anyPorts });
    running.push(launcher);
    const [, logs] = await launcher.until(/logs +(\S+)/, 90_000);
    const [, worker] = await launcher.until(/worker is ready \(pid (\d+)\)/, 5_000);
    // Without the folder of its log the worker can't be spawned: six failures in 200 + 400 + … + 3,200 = 6,200 ms.
    rmSync(logs!, { recursive: true });
    process.kill(Number(worker), 'SIGKILL');
    expect(await launcher.ended).toEqual({ code: 1, signal: null });
    expect(launcher.output).toMatch(/worker does not stay up, so the run was ended .*ENOENT.*worker\.log/);
  }, 120_000);

  test('--serve prints endpoints that work, until it is told to end', async () => {
    const env = { KAFKA_BROKERS: kafkaBrokers, REDIS_URL: redisUrl, ROUNDHOUSE_TOPIC_PREFIX: 'day-serve.' };
    const launcher = new LauncherProcess(['--serve'], { ...env, ...anyPorts });
    running.push(launcher);
    const [, url] = await launcher.until(/HTTP +(http:\/\/\S+)/, 90_000);
    await launcher.until(/Ctrl-C ends everything/, 5_000);
    expect(launcher.output).toMatch(/health +ingest http\S+, worker http\S+, aggregator http/);
    const shell = /^ {2}id=try[^]*?waitMs=6000"$/m.exec(launcher.output)![0];
    const times = hasProgram('curl') ? 3 : 0;
    if (times === 0) console.warn('curl is not in PATH: the commands with it are not tried');
    // A fixed round id or deadline would be refused, and a decision of the same zone be stale, the second time.
    for (let time = 1; time <= times; time++) {
      const decision = execFileSync('bash', ['-c', shell], { encoding: 'utf8' });
      expect(decision).toContain('"orderIds":["o1"]');
    }
    const example = new RegExp(`node \\S+produce-round\\.js ${url}`).exec(launcher.output)![0];
    expect(execFileSync('bash', ['-c', example], { encoding: 'utf8' })).toContain('"soup"');
    const letters = /^ {2}(KAFKA_BROKERS=.*) npm run --silent dead-letters$/m.exec(launcher.output)![1]!;
    const command = `env ${letters} node dist/launcher/dead-letters.js 2>&1`;
    const answer = execFileSync('bash', ['-c', command], { encoding: 'utf8', cwd: projectPath() });
    expect(answer).toContain('no dead letters on day-serve.');
    launcher.signal('SIGTERM');
    expect(await launcher.ended).toEqual({ code: 143, signal: null });
  }, 120_000);
});
