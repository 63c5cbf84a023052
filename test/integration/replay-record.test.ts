import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import type { BusProducer } from '#lib/bus/port';
import type { RoundId, UnixMs } from '#schemas/brands';
import { decisionsCodec, outcomesCodec, roundsCodec } from '#schemas/codec';
import { projectPath } from '#schemas/project-root';
import { roundKey, topicsOf } from '#schemas/topics';
import { diffCommand } from '#services/replay/diff/diff-command';
import { parseDiff } from '#services/replay/diff/options';
import { parseRecord } from '#services/replay/record/options';
import { recordCommand } from '#services/replay/record/record-command';
import type { RecordedRound } from '#services/replay/recording/recorded-round';
import { openRecording } from '#services/replay/recording/recording-reader';
import { parseRun } from '#services/replay/run/options';
import { runCommandOf } from '#services/replay/run/run-command';
import { allKinds, recorded, smallCut, smallRound } from '../support/small-recording';
import { startStack } from '../support/stack';
import { topicSettings } from './aggregator-harness';
import { killedWithFile } from '../support/closed-with-file';

jest.setTimeout(120_000);

let folder: string;
let bus: Bus;
let producer: BusProducer;
let lines: string[];
/** Topics of their own, so that a range is a test's alone. */
let stack: ReturnType<typeof startStack>;

beforeEach(async () => {
  stack = startStack('replay-record');
  lines = [];
  folder = mkdtempSync(join(tmpdir(), 'replay-record-'));
  bus = connectBus({ brokers: stack.brokers, clientId: 'replay-record', logger: pino({ level: 'silent' }) });
  await bus.ensureTopics(topicSpecs(topicsOf(stack.topicPrefix), topicSettings));
  producer = await bus.producer();
});
afterEach(async () => {
  await bus.close();
  rmSync(folder, { recursive: true });
});

const main = projectPath('dist', 'services', 'replay', 'main.js');
const out = (name = 'recording') => join(folder, name);
const cut = { ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: String(smallCut.candidatesPerShard) };
const place = (signal = new AbortController().signal, onLine: (line: string) => void = () => undefined) => {
  const tell = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  return {
    env: { ...stack.env, ...cut, ROUNDHOUSE_MODELS_DIR: projectPath('models') },
    signal,
    tell,
    tellError: tell,
  };
};

/** As ingest, worker and aggregator would have put them there: outcomes may come before their round. */
async function publish(...rounds: readonly RecordedRound[]): Promise<void> {
  const topics = topicsOf(stack.topicPrefix);
  for (const { manifest, outcomes, decision } of rounds) {
    const key = roundKey(manifest.round);
    const results = outcomes.map(({ outcome }) => outcomesCodec.encode(outcome));
    await producer.send(results.map((value) => ({ topic: topics.outcomes, key, value })));
    await producer.send([
      { topic: topics.rounds, key: manifest.round.zoneId, value: roundsCodec.encode(manifest) },
    ]);
    if (decision === null) continue;
    const value = decisionsCodec.encode(decision.decision);
    await producer.send([{ topic: topics.decisions, key: manifest.round.zoneId, value }]);
  }
  await nextMillisecond();
}

/** A range up to now has nothing of this very millisecond. */
async function nextMillisecond(): Promise<void> {
  const published = Date.now();
  while (Date.now() <= published) await new Promise(setImmediate);
}

const record = (...argv: string[]) => recordCommand(parseRecord(['--out', out(), ...argv]), place());
const recordedIds = () =>
  [...openRecording(out()).rounds()].map(({ manifest }) => manifest.round.roundId as string);

test('a range is recorded whole, and replays as it was decided', async () => {
  const rounds = allKinds();
  await publish(...rounds, rounds[0]!); // one is delivered twice
  expect(await record('--from', '5m')).toBe(0);
  const read = [...openRecording(out()).rounds()];
  expect(read.map(({ manifest }) => manifest)).toEqual(rounds.map(({ manifest }) => manifest));
  expect(read.map(({ outcomes }) => outcomes.map(({ outcome }) => outcome))).toEqual(
    rounds.map(({ outcomes }) => outcomes.map(({ outcome }) => outcome)),
  );
  expect(read.map(({ decision }) => decision!.decision)).toEqual(
    rounds.map(({ decision }) => decision!.decision),
  );
  const { manifest } = openRecording(out());
  expect(manifest).toMatchObject({
    origin: { kind: 'kafka', topicPrefix: stack.topicPrefix },
    settings: { candidatesPerShard: smallCut.candidatesPerShard },
    models: [{ name: 'candidate_cost', version: '1' }],
    progress: { rounds: 5, notWhole: 0 },
    complete: true,
  });
  const run = parseRun([out(), '--out', out('run'), '--direct', '--costs', 'recorded', '--expect-equal']);
  expect(await runCommandOf(run, place())).toBe(0);
  expect(
    diffCommand(parseDiff([out(), out('run'), '--max-changed', '0', '--max-missing', '0']), place()),
  ).toBe(0);
});

test('personal fields are hashed, and the round still replays as it was decided', async () => {
  const rules = join(folder, 'rules.json');
  const fields = { orderId: 'hash', courierId: 'hash', placeId: 'hash', headers: 'drop' };
  writeFileSync(rules, JSON.stringify({ salt: 'sixteen letters.', fields }));
  await publish(...allKinds());
  expect(await record('--from', '5m', '--personal', rules)).toBe(0);
  const { manifest } = openRecording(out());
  expect(manifest.personal).toEqual({ hashed: ['courierId', 'orderId', 'placeId'], dropped: ['headers'] });
  expect(
    JSON.stringify([...openRecording(out()).rounds()].map(({ manifest: { round } }) => round.orders)),
  ).not.toMatch(/"o\d-\d"/);
  const run = parseRun([out(), '--out', out('run'), '--direct', '--costs', 'recorded', '--expect-equal']);
  expect(await runCommandOf(run, place())).toBe(0);
});

test('what is not whole, and what can not be read, is told of; the exit code says so', async () => {
  const [one, two] = [recorded(smallRound(1)), recorded(smallRound(2))];
  await publish({ ...one, outcomes: one.outcomes.slice(1) }, { ...two, decision: null });
  const topics = topicsOf(stack.topicPrefix);
  await producer.send([{ topic: topics.rounds, key: 'k', value: Buffer.from('no round'), partition: 0 }]);
  await nextMillisecond();
  expect(await record('--from', '5m')).toBe(1);
  const said = lines.join('\n');
  expect(said).toContain("round round-1 isn't whole: no outcome of shard 0");
  expect(said).toContain("round round-2 isn't whole: no decision");
  expect(said).toMatch(/rounds, partition 0, offset \d+ is left out: not in Avro single-object encoding/);
  expect(lines.at(-1)).toContain('2 rounds, 2 of them not whole, 0 observations, 1 messages left out');
  expect(recordedIds()).toEqual(['round-1', 'round-2']);
});

/** A recording by the command line, ended by SIGKILL once it says that it has rounds on the disk. */
function killedOnceItHasRounds(...argv: string[]): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [main, 'record', ...argv], {
    env: { ...process.env, ...place().env },
  });
  killedWithFile(child);
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/: [1-9]\d* rounds$/.test(line)) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
}

test('a recording that was killed goes on: each round once, the rest as well', async () => {
  await publish(...allKinds().slice(0, 3));
  // The range goes on behind the rounds: it is killed there, with a part of it to come.
  expect(await killedOnceItHasRounds('--out', out(), '--from', '5m', '--to', '+9s')).toBe('SIGKILL');
  expect(() => openRecording(out())).toThrow("isn't complete");
  await publish(...allKinds().slice(3));
  await expect(record('--from', '1700000000000')).rejects.toThrow('has a recording of another origin');
  // Another time by the clock, the same command.
  expect(await record('--from', '5m', '--to', '+9s')).toBe(0);
  expect(lines).toContainEqual(expect.stringContaining('going on at'));
  expect(recordedIds()).toEqual(['round-1', 'round-2', 'round-3', 'round-4', 'round-5']);
  expect(await record()).toBe(0);
  expect(lines.at(-1)).toContain('the recording is complete, 5 rounds');
});

test('a recording that is told to end goes on later, too', async () => {
  await publish(...allKinds().slice(0, 1));
  const told = new AbortController();
  const stop = (line: string) => line.startsWith('up to') && told.abort(new Error('told to end'));
  const options = parseRecord(['--out', out(), '--from', '2m']);
  await expect(recordCommand(options, place(told.signal, stop))).rejects.toThrow('told to end');
  expect(await record()).toBe(0);
});

test('where retention has cut the range off, it is said', async () => {
  await publish(...allKinds().slice(0, 2));
  const topic = topicsOf(stack.topicPrefix).rounds;
  const admin = new Kafka({ brokers: [...stack.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  const { partition } = ends.find(({ high }) => high === '2')!;
  await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: '1' }] });
  await admin.disconnect();
  expect(await record('--from', '5m')).toBe(0);
  expect(recordedIds()).toEqual(['round-2']);
  expect(lines[0]).toBe(`${topic}: retention has removed messages that may be of the range's beginning`);
  expect(lines.filter((line) => line.includes('retention'))).toHaveLength(1);
});

test('a range without rounds, a folder in use, and Kafka that is not there', async () => {
  expect(await record('--from', '10m', '--to', '5m')).toBe(1);
  expect(lines.at(-1)).toMatch(/^no round in the range, from \S+Z to \S+Z: are --from, --to/);
  expect(recordedIds()).toEqual([]);
  await expect(recordCommand(parseRecord(['--out', folder, '--from', '1m']), place())).rejects.toThrow(
    'has something in it',
  );
  const options = parseRecord(['--out', out('other'), '--from', '1m']);
  const nowhere = { ...place(), env: { KAFKA_BROKERS: '127.0.0.1:1' } };
  await expect(recordCommand(options, nowhere)).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
  expect(existsSync(join(out('other'), 'recording.json'))).toBe(false);
  await expect(recordCommand(parseRecord(['--out', out('third')]), place())).rejects.toThrow(
    '--from is needed',
  );
  const elsewhere = { ...place(), env: { ...stack.env, ROUNDHOUSE_TOPIC_PREFIX: 'typo.' } };
  await expect(recordCommand(options, elsewhere)).rejects.toThrow(
    /no typo\.dispatch\.rounds, .* on the broker: ROUNDHOUSE_TOPIC_PREFIX is "typo\."/,
  );
});

test('rounds that come while it records are recorded, too', async () => {
  const options = parseRecord(['--out', out(), '--from', '10s', '--to', '+4s']);
  const running = recordCommand(options, place());
  const soon = (number: number) => smallRound(number, { deadline: (Date.now() + 1_000) as UnixMs });
  await publish(recorded(soon(1)), recorded({ ...soon(2), roundId: 'round-2' as RoundId }));
  expect(await running).toBe(0);
  expect(recordedIds()).toEqual(['round-1', 'round-2']);
});

test('the command line', async () => {
  const replay = (...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [main, ...argv], (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  expect(await replay('--help')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('record|run|diff|report|sweep|etr|purge|import'),
  });
  for (const command of ['record', 'run', 'diff', 'import'])
    expect(await replay(command, '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`replay -- ${command}`),
    });
  expect(await replay()).toMatchObject({ code: 2, stderr: expect.stringContaining('no command given') });
  expect(await replay('play')).toMatchObject({ code: 2, stderr: expect.stringContaining('no command play') });
  expect(await replay('diff', 'a')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('B is needed'),
  });
  expect(await replay('diff', 'a', 'b')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('RECORDING_INVALID'),
  });
});
