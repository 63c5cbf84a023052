import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { loadModelRepository } from '#lib/model-repository';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import { cutRound } from '#policy/sharding/index';
import type { RoundId, RunId, UnixMs, ZoneId } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import { topicsOf } from '#schemas/topics';
import { failedOutcome } from '#lib/shard-outcome';
import { diffCommand } from '#services/replay/diff/diff-command';
import { parseDiff } from '#services/replay/diff/options';
import { parseRecord } from '#services/replay/record/options';
import { recordCommand } from '#services/replay/record/record-command';
import { openRecording } from '#services/replay/recording/recording-reader';
import { EngineCoster } from '#services/replay/run/direct-solver';
import { startOwnEngine } from '#services/replay/run/engine-process';
import { parseRun } from '#services/replay/run/options';
import { PipelineTopics } from '#services/replay/run/pipeline-topics';
import { runCommandOf } from '#services/replay/run/run-command';
import { readRun, readRunManifest } from '#services/replay/run/run-writer';
import { RoundhouseClient } from '../../client/roundhouse-client';
import { startStack } from '../support/stack';

jest.setTimeout(240_000);

const stack = startStack('replay-run');
const perShard = 40;
const settings = {
  ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: String(perShard),
  ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '2000',
};
const modelsDir = projectPath('models');
const cut = {
  candidatesPerShard: perShard,
  shardsPerRound: 32,
  maxShardBytes: 524_288,
  maxCandidates: 200_000,
};

let folder: string;
let pipeline: Pipeline;
let bus: Bus;
let topics: PipelineTopics;
const startedAt = Date.now();
const out = (name: string) => join(folder, name);
const lines: string[] = [];
const tell = (line: string) => void lines.push(line);
const place = () => ({
  env: { ...process.env, ...stack.env, ...settings, ROUNDHOUSE_MODELS_DIR: modelsDir },
  signal: new AbortController().signal,
  tell,
  tellError: tell,
});

/** With times that the network predicts, and with held orders. */
const [city] = [
  cityRounds({ seed: 7, couriers: 10, orders: 14, candidates: 250, policy: { bundleOrders: 2 } }, 6),
];
const roundOf = (number: number, changes: Partial<DispatchRound> = {}): DispatchRound => ({
  ...city[number]!,
  runId: 'live' as RunId,
  roundId: `round-${number}` as RoundId,
  zoneId: (number % 2 === 0 ? 'even' : 'odd') as ZoneId,
  sequence: BigInt(number),
  deadline: (Date.now() + 30_000) as UnixMs,
  ...changes,
});

/** A round whose first shard never comes, or comes as failed, as ingest would have published it. */
async function publishBroken(number: number, failsFirst: boolean): Promise<void> {
  const models = loadModelRepository(modelsDir).refsOf('stable');
  const { manifest, shards } = cutRound(roundOf(number), models, cut);
  expect(shards.length).toBeGreaterThan(2);
  const awaited = topics.await(manifest.round);
  await topics.sendShards(shards.slice(1), failsFirst ? [failedOutcome(shards[0]!, 'MODEL_FAILED')] : []);
  expect(await awaited.outcomesOf(shards.slice(1), 60_000)).toBe(true);
  const deadline = (Date.now() + 1_500) as UnixMs;
  await topics.sendManifest({ ...manifest, round: { ...manifest.round, deadline } });
  const decided = await awaited.decisionWithin(60_000);
  expect(decided!.decision.content.closedBy).toBe(failsFirst ? 'complete' : 'deadline');
  awaited.end();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'replay-run-'));
  const { kafkaBrokers, redisUrl, topicPrefix } = stack;
  pipeline = await startPipeline({
    inheritedEnv: process.env,
    ...{ kafkaBrokers, redisUrl, topicPrefix },
    env: { ...settings, ROUNDHOUSE_PARTITIONS: '2' },
    restarts: false,
  });
  bus = connectBus({ brokers: stack.brokers, clientId: 'replay-run', logger: pino({ level: 'silent' }) });
  topics = await PipelineTopics.open(bus, topicsOf(topicPrefix));
  const client = new RoundhouseClient({ url: pipeline.ingestUrl });
  for (const number of [0, 1, 2]) await client.dispatch(roundOf(number));
  await publishBroken(3, false);
  await publishBroken(4, true);
  // Newer than its zone's last decision by its number, and then one that is older: stale.
  await client.dispatch(roundOf(5, { sequence: 50n }));
  await client.dispatch(roundOf(1, { roundId: 'round-stale' as RoundId, sequence: 2n }));
  const options = parseRecord(['--out', out('recording'), '--from', String(startedAt - 1_000)]);
  expect(await recordCommand(options, place())).toBe(0);
  await bus.close();
  await pipeline.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (name: string, ...flags: string[]) =>
  runCommandOf(parseRun([out('recording'), '--out', out(name), ...flags]), place());
const diff = (...argv: string[]) => diffCommand(parseDiff(argv), place());

test('what was recorded: rounds of all kinds, whole', () => {
  const { manifest, rounds } = openRecording(out('recording'));
  expect(manifest).toMatchObject({ deviceKinds: ['cpu'], progress: { rounds: 7, notWhole: 0 } });
  const contents = [...rounds()].map(({ decision }) => decision!.decision.content);
  expect(contents.map(({ closedBy }) => closedBy)).toContain('deadline');
  expect(contents.flatMap(({ shards }) => shards.map(({ status }) => status))).toEqual(
    expect.arrayContaining(['solved', 'failed', 'missing']),
  );
  expect(contents.flatMap(({ unassigned }) => unassigned.map(({ reason }) => reason))).toContain('stale');
});

test('directly, with an engine: the same contents, byte for byte', async () => {
  expect(await run('direct', '--direct', '--expect-equal')).toBe(0);
  expect(readRunManifest(out('direct'))).toMatchObject({
    way: 'direct',
    deviceKind: 'cpu',
    summary: { rounds: 7, compared: 7, equal: 7 },
  });
});

test('through a pipeline, with Kafka, as fast as it goes: the same contents, byte for byte', async () => {
  expect(await run('pipeline', '--expect-equal')).toBe(0);
  const { way, summary, deviceKind } = readRunManifest(out('pipeline'));
  expect({ way, deviceKind, summary }).toMatchObject({
    way: 'pipeline',
    deviceKind: 'cpu',
    summary: { rounds: 7, compared: 7, equal: 7 },
  });
  const decisions = [...readRun(out('pipeline'))].map(({ decision }) => decision!);
  expect(new Set(decisions.map(({ runId }) => runId)).size).toBe(1);
  expect(decisions[0]!.runId).not.toBe('live');
  expect(diff(out('recording'), out('pipeline'), '--max-changed', '0', '--max-missing', '0')).toBe(0);
  expect(diff(out('direct'), out('pipeline'), '--max-changed', '0')).toBe(0);
  // Of its own topics nothing is left on a broker that others use.
  const admin = new Kafka({ brokers: [...stack.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const left = (await admin.listTopics()).filter((topic) => topic.startsWith(`${stack.topicPrefix}replay-`));
  await admin.disconnect();
  expect(left).toEqual([]);
});

test('at a pace, every round is decided, and those that were complete as they were', async () => {
  expect(await run('paced', '--speed', '5')).toBe(0);
  const closedBy = new Map(
    [...openRecording(out('recording')).rounds()].map(({ manifest, decision }) => [
      manifest.round.roundId,
      decision!.decision.content,
    ]),
  );
  for (const { roundId, recordedHash, decision } of readRun(out('paced'))) {
    const { closedBy: how, unassigned } = closedBy.get(roundId)!;
    // Which round is stale hangs on when the others are decided, and a deadline on the machine.
    if (how === 'deadline' || unassigned.some(({ reason }) => reason === 'stale')) continue;
    expect(decision!.contentHash).toBe(recordedHash);
  }
});

test('with every shard the round that lacked one is decided otherwise; the diff names it', async () => {
  expect(await run('all', '--direct', '--arrivals', 'all')).toBe(0);
  lines.length = 0;
  expect(diff(out('recording'), out('all'), '--max-changed', '0', '--json')).toBe(1);
  const document = JSON.parse(lines[0]!) as {
    changed: number;
    worst: { roundId: string; elsewhere: string[] }[];
  };
  expect(document.worst.map(({ roundId }) => roundId)).toEqual(
    expect.arrayContaining(['round-3', 'round-4', 'round-stale']),
  );
  expect(document.changed).toBe(3);
});

test('an engine that does not start, or is lost, ends a run with what it said; nothing is left behind', async () => {
  const options = parseRun([out('recording'), '--out', out('broken'), '--direct']);
  const withEnv = (env: NodeJS.ProcessEnv) =>
    expect(runCommandOf(options, { ...place(), env: { ...place().env, ...env } })).rejects;
  await withEnv({ ROUNDHOUSE_DEVICES: 'all' }).toMatchObject({ code: 'ENGINE_LOST' });
  // It starts, and has no model to serve.
  await withEnv({ ROUNDHOUSE_ENGINE_BACKENDS_DIR: join(folder, 'nowhere') }).toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    message: expect.stringContaining('candidate_cost 1: ') as string,
  });
  expect(existsSync(out('broken'))).toBe(false);

  const models = loadModelRepository(modelsDir).refsOf('stable');
  // With / among its files none is closed, whatever the kernel can do.
  const open = { ROUNDHOUSE_ENGINE_FILES: 'own', ROUNDHOUSE_ENGINE_READS: '/' };
  const engine = await startOwnEngine({
    ...place(),
    ...{ env: { ...place().env, ...open }, modelsDir, models },
  });
  expect(lines.at(-1)).toMatch(/^the engine of the replay is less confined [^:]*: .*\bfiles: /);
  process.kill(engine.pid, 'SIGKILL');
  await expect(engine.lost).rejects.toThrow('it ended with SIGKILL');
  const { shards } = cutRound(roundOf(0), models, cut);
  await expect(new EngineCoster(engine).cost(shards[0]!)).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  await engine.stop();
});
