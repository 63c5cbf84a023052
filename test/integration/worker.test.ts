import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectEngine } from '#lib/engine-client/grpc';
import type { Pipeline } from '#launcher/pipeline';
import type { RoundId, ShardIndex, UnixMs } from '#schemas/brands';
import { shardsCodec } from '#schemas/codec';
import { projectPath } from '#schemas/project-root';
import { PLAN_RECORD_BYTES } from '#schemas/tensors';
import { headers, shardKey } from '#schemas/topics';
import { makeShard } from '../support/make-shard';
import { until } from '../support/until';
import { readyz, startWorkerBench, workerUrl, type WorkerBench } from './worker-bench';
import { stopProcess } from '../support/stop-process';
import { processOf } from '../support/running-process';

jest.setTimeout(120_000);

/** Requests that the worker has given to its engines so far, by shared memory. */
async function sentToEngines(pipeline: Pipeline): Promise<number> {
  const metrics = await (await fetch(workerUrl(pipeline, '/metrics'))).text();
  const counts = metrics.matchAll(/^dispatch_data_plane_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('one worker', () => {
  let bench: WorkerBench;
  const runningEngine = async (): Promise<number> => {
    await until(() => bench.pipeline.enginePids('worker').length > 0, 'an engine');
    return bench.pipeline.enginePids('worker')[0]!;
  };
  const shard = makeShard();
  beforeAll(async () => {
    bench = await startWorkerBench('worker', {
      env: {
        ROUNDHOUSE_DATA_PLANE: 'shm',
        ROUNDHOUSE_LOG_LEVEL: 'debug',
        ROUNDHOUSE_WORKER_SESSION_TIMEOUT_MS: '60000',
      },
    });
  });
  beforeEach(() => {
    bench.outcomes.length = 0;
    bench.letters.length = 0;
  });
  afterAll(() => bench?.stop());

  test('a shard becomes a solved outcome, its bytes untouched, with the backend interval in a header', async () => {
    const before = Date.now();
    await bench.send(shard, 0);
    await until(() => bench.outcomes.length === 1, 'the outcome');
    const { outcome, message } = bench.outcomes[0]!;
    expect(outcome).toMatchObject({
      status: 'solved',
      errorCode: null,
      runId: shard.runId,
      roundId: shard.roundId,
      candidateCount: shard.candidateCount,
      models: [shard.model],
      deviceKind: 'cpu',
    });
    expect(outcome.plans.byteLength).toBe(shard.candidateCount * PLAN_RECORD_BYTES);
    expect(outcome.rideFactors.byteLength).toBe(16); // four vehicle classes of 4 bytes
    expect(message.headers[headers.traceparent]).toBe('00-1');
    const [start, end] = message.headers[headers.backendInterval]!.split('-').map((ns) => Number(ns) / 1e6);
    expect(start).toBeGreaterThan(before - 1);
    expect(end).toBeGreaterThan(start!);
    expect(end).toBeLessThan(Date.now() + 1);
  });

  test('an expired shard is late and not started', async () => {
    await bench.send(shard, 1, { deadline: (Date.now() - 1) as UnixMs });
    await until(() => bench.outcomes.length === 1, 'the outcome');
    expect(bench.outcomes[0]!.outcome).toMatchObject({ status: 'late', errorCode: 'DEADLINE_EXCEEDED' });
    const metrics = await (await fetch(workerUrl(bench.pipeline, '/metrics'))).text();
    expect(metrics).toMatch(/dispatch_shards_finished_total\{status="late",code="DEADLINE_EXCEEDED".*\} 1/);
  });

  test('a shard due in 140,000 years is refused with a dead letter, and the worker goes on', async () => {
    await bench.send(shard, 0, { deadline: (2 ** 52 - 1) as UnixMs });
    await bench.send(shard, 1);
    await until(() => bench.outcomes.length === 2 && bench.letters.length === 1, 'both and the letter');
    const byIndex = bench.outcomes.map(({ outcome }) => [
      outcome.shardIndex,
      outcome.status,
      outcome.errorCode,
    ]);
    expect(byIndex.sort()).toEqual([
      [0, 'failed', 'PAYLOAD_INVALID'],
      [1, 'solved', null],
    ]);
  });

  test('unreadable bytes are dead-lettered, and fail the shard that the key names', async () => {
    const key = shardKey({ ...shard, shardIndex: 7 as ShardIndex });
    const value = Buffer.from('not avro');
    await bench.sendRaw(key, value);
    await until(() => bench.outcomes.length === 1 && bench.letters.length === 1, 'both');
    expect(bench.outcomes[0]!.outcome).toMatchObject({
      roundId: shard.roundId,
      shardIndex: 7,
      status: 'failed',
      errorCode: 'PAYLOAD_INVALID',
    });
    expect(bench.letters[0]!.value).toEqual(value);
    expect(bench.letters[0]!.key!.toString()).toBe(key);
    expect(bench.letters[0]!.headers[headers.deadLetterCode]).toBe('PAYLOAD_INVALID');
    const { kafkaBrokers, topicPrefix } = bench.pipeline;
    const env = { ...process.env, KAFKA_BROKERS: kafkaBrokers, ROUNDHOUSE_TOPIC_PREFIX: topicPrefix };
    const command = [projectPath('dist', 'launcher', 'dead-letters.js'), '--limit', '1'];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    expect(stdout).toMatch(/PAYLOAD_INVALID .*dispatch\.shards/);
    expect(stdout).toContain(`8 bytes, not readable: ${value.toString('hex')}`);
  });

  test('an unknown fingerprint and a key of nobody: a dead letter alone', async () => {
    const value = shardsCodec.encode(shard);
    value.fill(0x22, 2, 10);
    await bench.sendRaw('nobody', value);
    await until(() => bench.letters.length === 1, 'the letter');
    expect(bench.letters[0]!.headers[headers.deadLetterCode]).toBe('SCHEMA_UNKNOWN');
    expect(bench.outcomes).toHaveLength(0);
  });

  test('wrong tensors, a model that nobody has and a truncated table fail with a code; the next shard is solved', async () => {
    const [first, ...rest] = shard.tensors;
    const cut = { ...first!, shape: [1, 1], data: first!.data.subarray(0, 8) };
    await bench.send(shard, 0, { tensors: rest });
    await bench.send(shard, 1, { tensors: [cut, ...rest] });
    await bench.send(shard, 2, { model: { ...shard.model, name: 'nobody' } });
    await bench.send(shard, 3, { model: { ...shard.model, version: '77' } });
    await bench.send(shard, 4);
    await until(() => bench.outcomes.length === 5, 'five outcomes');
    const codes = new Map(bench.outcomes.map(({ outcome: o }) => [o.shardIndex, o.errorCode ?? o.status]));
    expect([0, 1, 2, 3, 4].map((i) => codes.get(i as ShardIndex))).toEqual([
      'PAYLOAD_INVALID',
      expect.stringMatching(/PAYLOAD_INVALID|MODEL_FAILED/),
      expect.stringMatching(/NOT_FOUND|MODEL_UNAVAILABLE/),
      expect.stringMatching(/NOT_FOUND|MODEL_UNAVAILABLE/),
      'solved',
    ]);
    // The error table: PAYLOAD_INVALID is dead-lettered, the other two are published as failed alone.
    const refused = bench.outcomes.filter(({ outcome }) => outcome.errorCode === 'PAYLOAD_INVALID');
    await until(() => bench.letters.length >= refused.length, 'the letters');
    const keyOf = (index: ShardIndex) => shardKey({ ...shard, shardIndex: index });
    expect(bench.letters.map(({ key }) => key!.toString()).sort()).toEqual(
      refused.map(({ outcome }) => keyOf(outcome.shardIndex)).sort(),
    );
    const letter = bench.letters.find(({ key }) => key!.toString() === keyOf(0 as ShardIndex))!;
    expect(letter.headers[headers.deadLetterCode]).toBe('PAYLOAD_INVALID');
    const { deadline, tensors } = shardsCodec.decode(letter.value!);
    expect(letter.value).toEqual(shardsCodec.encode({ ...shard, deadline, tensors }));
    expect(tensors).toHaveLength(rest.length);
    const failed = refused.find(({ outcome }) => outcome.shardIndex === 0)!;
    expect(letter.timestamp).toBeLessThanOrEqual(failed.message.timestamp);
  });

  test('the engine killed with shards under way: not ready with the reason, replaced, every shard solved', async () => {
    const engine = await runningEngine();
    // Stopped first: what it is given from here on is under way when it dies, however fast it is.
    await stopProcess(engine);
    const sentBefore = await sentToEngines(bench.pipeline);
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => bench.send(shard, i, { roundId: 'kill' as RoundId })),
    );
    while ((await sentToEngines(bench.pipeline)) === sentBefore) await sleep(5);
    process.kill(engine, 'SIGKILL');
    let reason: string | undefined;
    while (reason === undefined) reason = (await readyz(bench.pipeline)).body.reasons?.['engine'];
    expect(reason).toMatch(/engine/);
    await until(() => bench.outcomes.length >= 60, 'all outcomes');
    const solved = new Set(
      bench.outcomes.filter((o) => o.outcome.status === 'solved').map((o) => o.outcome.shardIndex),
    );
    expect(solved.size).toBe(60);
    while ((await readyz(bench.pipeline)).status !== 200) await sleep(5);
    expect(bench.pipeline.enginePids('worker')).not.toContain(engine);
  });

  test('a hanging engine (SIGSTOP) is found and replaced; its shards are answered in time', async () => {
    const engine = await runningEngine();
    await stopProcess(engine);
    await bench.send(shard, 0, { roundId: 'hang' as RoundId });
    await until(() => bench.outcomes.length === 1, 'the outcome');
    expect(bench.outcomes[0]!.outcome.status).toBe('solved');
    expect(bench.pipeline.enginePids('worker')).not.toContain(engine);
  });

  test('the worker killed and started again takes its place in the group at once, not after the session', async () => {
    await bench.send(shard, 0, { roundId: 'before' as RoundId });
    await until(() => bench.outcomes.length === 1, 'the outcome');
    await bench.pipeline.kill('worker');
    await bench.send(shard, 1, { roundId: 'during' as RoundId });
    await bench.pipeline.restart('worker');
    const during = () => bench.outcomes.find(({ outcome }) => outcome.roundId === 'during')?.outcome;
    await until(() => during() !== undefined, 'the outcome after the restart');
    // The session is 60 s, the deadline 20 s: a new member would have waited until the shard is late.
    expect(during()!.status).toBe('solved');
  });

  test('models that were unloaded over gRPC and HTTP stay so in the next engine', async () => {
    const client = connectEngine({ address: bench.pipeline.workerGrpc });
    const { kserveHttp } = processOf(bench.pipeline, 'worker').ports;
    const post = (operation: string) =>
      fetch(`http://127.0.0.1:${kserveHttp}/v2/repository/models/route_planner/${operation}`, {
        method: 'POST',
      });
    await client.unloadModel('delivery_time');
    expect((await post('unload')).status).toBe(200);
    process.kill(await runningEngine(), 'SIGKILL');
    await bench.send(shard, 0, { roundId: 'unloaded' as RoundId });
    const isThere = () => bench.outcomes.some(({ outcome }) => outcome.roundId === 'unloaded');
    await until(isThere, 'the outcome, of the next engine');
    const ready = async (): Promise<boolean[]> =>
      Promise.all(
        ['candidate_cost', 'delivery_time', 'route_planner'].map((name) => client.isModelReady(name)),
      );
    expect(await ready()).toEqual([true, false, false]);
    await client.loadModel('delivery_time');
    expect((await post('load')).status).toBe(200);
    expect(await ready()).toEqual([true, true, true]);
    await client.close();
  });

  test('any client of the inference protocol reaches the engine on TCP', async () => {
    const client = connectEngine({ address: bench.pipeline.workerGrpc });
    expect(await client.isReady()).toBe(true);
    expect(await client.isModelReady('candidate_cost', '1')).toBe(true);
    await client.close();
  });
});

test('over gRPC alone: shards are solved, also those that a hanging engine has', async () => {
  const bench = await startWorkerBench('worker-grpc', { env: { ROUNDHOUSE_DATA_PLANE: 'grpc' } });
  const shard = makeShard();
  await bench.send(shard, 0);
  await until(() => bench.outcomes.length === 1, 'the outcome');
  const [engine] = bench.pipeline.enginePids('worker');
  await stopProcess(engine!);
  for (const i of [1, 2, 3]) await bench.send(shard, i);
  await until(() => bench.outcomes.length === 4, 'the outcomes of the next engine');
  expect(bench.outcomes.map(({ outcome }) => outcome.status)).toEqual(Array(4).fill('solved'));
  expect(bench.pipeline.enginePids('worker')).not.toContain(engine);
  const metrics = await (await fetch(workerUrl(bench.pipeline, '/metrics'))).text();
  expect(metrics).not.toMatch(/^dispatch_data_plane_(sessions|requests|fallbacks)_total(\{.*\})? [1-9]/m);
  expect(metrics).toMatch(/^dispatch_engine_losses_total\{.*\} 1$/m);
  await bench.stop();
});

test('two workers: one is killed with shards under way, the other takes over and no shard is lost', async () => {
  const env = { ROUNDHOUSE_WORKER_SESSION_TIMEOUT_MS: '6000' };
  const bench = await startWorkerBench('worker-kill', { counts: { worker: 2 }, env, restarts: false });
  const shard = makeShard();
  const send = (i: number) => bench.send(shard, i, { deadline: (Date.now() + 60_000) as UnixMs });
  const sending = (async () => {
    const sent: Promise<void>[] = [];
    for (let i = 0; i < 200; i++) {
      sent.push(send(i));
      await sleep(5);
    }
    await Promise.all(sent);
  })();
  await until(() => bench.outcomes.length > 40, 'begun');
  await bench.pipeline.kill('worker-2');
  await sending;
  const solved = (): number => new Set(bench.outcomes.map(({ outcome }) => outcome.shardIndex)).size;
  await until(() => solved() === 200, 'all 200');
  expect(bench.outcomes.every(({ outcome }) => outcome.status === 'solved')).toBe(true);
  await bench.stop();
});

test('a broken config.pbtxt: the others serve, the worker is not ready and names file and line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-broken-'));
  cpSync(projectPath('models'), folder, { recursive: true });
  const config = join(folder, 'delivery_time', 'config.pbtxt');
  writeFileSync(config, `${readFileSync(config, 'utf8')}\nmax_batch_size: [nonsense\n`);
  const bench = await startWorkerBench('worker-broken', { env: { ROUNDHOUSE_MODELS_DIR: folder } });
  const { status, body } = await readyz(bench.pipeline);
  expect(status).toBe(503);
  expect(body.reasons!['engine']).toMatch(/delivery_time.*config\.pbtxt/);
  await bench.send(makeShard(), 0);
  await until(() => bench.outcomes.length === 1, 'the outcome');
  expect(bench.outcomes[0]!.outcome.status).toBe('solved');
  await bench.stop();
  rmSync(folder, { recursive: true });
});
