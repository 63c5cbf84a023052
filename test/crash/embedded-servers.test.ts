import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { childrenOf, identityOf } from '#launcher/process-identity';
import type { ProcessEvent } from '#launcher/processes';
import { projectPath } from '#schemas/project-root';
import { until } from '../support/until';
import { disconnectedWithFile, killedWithFile } from '../support/closed-with-file';

const noServices = { inheritedEnv: process.env, counts: { ingest: 0, worker: 0, aggregator: 0 } };

function quietKafka(brokers: string): Kafka {
  return new Kafka({
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 100 },
  });
}

async function connected<C extends { connect(): Promise<void>; disconnect(): Promise<void> }, T>(
  client: C,
  use: (client: C) => Promise<T>,
): Promise<T> {
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.disconnect();
  }
}

describe('a pipeline with its own broker and Redis', () => {
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline(noServices);
  }, 90_000);
  afterAll(() => pipeline.stop(), 30_000);

  test('a broker killed and restarted has its messages at the same address', async () => {
    const kafka = quietKafka(pipeline.kafkaBrokers);
    await connected(kafka.admin(), (admin) =>
      admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 1 }] }),
    );
    await connected(kafka.producer(), (producer) =>
      producer.send({ topic: 'kept', acks: -1, messages: [{ value: 'before' }] }),
    );
    await pipeline.kill('broker');
    await pipeline.restart('broker');
    const offsets = await connected(kafka.admin(), (admin) => admin.fetchTopicOffsets('kept'));
    expect(offsets).toMatchObject([{ high: '1', low: '0' }]);
  }, 90_000);

  test('a Redis killed and restarted has what it acknowledged', async () => {
    const before = disconnectedWithFile(new Redis(pipeline.redisUrl));
    await before.set('key', 'value');
    // `everysec` may answer before it writes, while an fsync is under way.
    expect(await before.config('GET', 'appendfsync')).toEqual(['appendfsync', 'no']);
    before.disconnect();
    await pipeline.kill('redis');
    await pipeline.restart('redis');
    const after = disconnectedWithFile(new Redis(pipeline.redisUrl));
    await expect(after.get('key')).resolves.toBe('value');
    after.disconnect();
  }, 30_000);

  test('a name that is no process is an error that lists those there are', async () => {
    await expect(pipeline.restart('brokr')).rejects.toThrow(
      /no process brokr; there are redis, broker and engine|there are broker, redis and engine/,
    );
  });

  test('a port in use is named', async () => {
    const taken = Number(pipeline.redisUrl.split(':').at(-1));
    await expect(startPipeline({ ...noServices, redisPort: taken })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `port ${taken} for Redis can't be used (EADDRINUSE)`,
    });
  }, 60_000);
});

/** A launcher as a process of its own, since the test ends it. It prints the ids of its children. */
const launcherCode = `
  const { startPipeline } = require('./dist/launcher/pipeline.js');
  startPipeline({
    inheritedEnv: process.env,
    counts: { ingest: 0, worker: 0, aggregator: 0 },
    runRoot: process.argv[1],
  }).then((pipeline) => {
    process.once('SIGTERM', () => pipeline.stop().then(() => process.exit(0)));
    console.log(JSON.stringify({ folder: pipeline.runFolder, pids: pipeline.processes().map(({ pid }) => pid) }));
  });`;

/** Of this file alone: any other run that begins meanwhile removes the folders of the dead from its own. */
const runRoot = mkdtempSync(join(tmpdir(), 'roundhouse-runs-'));
afterAll(() => rmSync(runRoot, { recursive: true, force: true }));

async function startLauncher() {
  const launcher = spawn(process.execPath, ['-e', launcherCode, runRoot], {
    cwd: projectPath(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killedWithFile(launcher);
  const line = await new Promise<string>((resolve) =>
    launcher.stdout.once('data', (data) => resolve(String(data))),
  );
  const exited = new Promise<void>((resolve) => launcher.once('exit', () => resolve()));
  return { launcher, exited, ...(JSON.parse(line) as { folder: string; pids: number[] }) };
}

describe('nothing stays behind', () => {
  test('after a stop: no process, no data, only logs', async () => {
    const { launcher, exited, folder, pids } = await startLauncher();
    launcher.kill('SIGTERM');
    await exited;
    expect(pids.map(identityOf)).toEqual([null, null]);
    expect(readdirSync(folder).sort()).toEqual(['logs', 'owner.json']);
  }, 90_000);

  test('after the launcher was killed: no process, and the next run removes the folder', async () => {
    const { launcher, exited, folder, pids } = await startLauncher();
    launcher.kill('SIGKILL');
    await exited;
    await until(() => pids.map(identityOf).every((identity) => identity === null), 'they are gone');
    expect(existsSync(folder)).toBe(true);
    const next = await startPipeline({ ...noServices, runRoot, kafkaBrokers: '127.0.0.1:1' });
    expect(existsSync(folder)).toBe(false);
    await next.stop();
  }, 90_000);
});

test('the broker has no errors in its log after a clean start', async () => {
  const pipeline = await startPipeline({ ...noServices, redisUrl: 'redis://127.0.0.1:1' });
  const log = readFileSync(`${pipeline.logs}/broker.log`, 'utf8');
  await pipeline.stop();
  expect(log.split('\n').filter((line) => / ERROR /.test(line))).toEqual([]);
}, 60_000);

// Java reads properties as Latin-1 and names of files by the locale; Kafka parts a list of folders at commas.
test('a run in a folder of any name, under the locale C', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'roundhouse-names-'));
  const root = join(parent, "Große ścieżka, d'été: 100% #1 \\ 😀");
  const inheritedEnv = { ...process.env, LC_ALL: 'C', LANG: 'C' };
  const pipeline = await startPipeline({ ...noServices, inheritedEnv, runRoot: root });
  const admin = quietKafka(pipeline.kafkaBrokers).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: 'named', numPartitions: 1 }] });
  await admin.disconnect();
  expect(readdirSync(join(pipeline.runFolder, 'broker', 'data'))).toContain('named-0');
  expect(existsSync(join(pipeline.runFolder, 'redis', 'appendonly.aof'))).toBe(true);
  await pipeline.stop();
  rmSync(parent, { recursive: true });
}, 90_000);

test('a start that is aborted ends what it began', async () => {
  const abort = new AbortController();
  // When the first of the two is ready, the other is not.
  const onEvent = ({ kind }: ProcessEvent) => {
    if (kind === 'ready') abort.abort(new Error('the user has had enough'));
  };
  const starting = startPipeline({ ...noServices, abort: abort.signal, onEvent });
  await expect(starting).rejects.toThrow('the user has had enough');
  const left = ['kafka.Kafka', 'redis-server'].flatMap((name) => childrenOf(process.pid, name));
  expect(left).toEqual([]);
}, 60_000);
