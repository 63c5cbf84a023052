import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import type { ShardIndex, UnixMs } from '#schemas/brands';
import type { Shard } from '#schemas/domain';
import { Suspects } from '#services/inference-worker/sentinel/suspects';
import { solveShard } from '#services/inference-worker/solve-shard';
import { makeShard } from '../support/make-shard';
import { stopProcess } from '../support/stop-process';
import { faultEnv, faultRequest, makeFaultModels, type FaultModels } from './fault-models';
import { startSentinel, type SentinelBench } from './sentinel-harness';

jest.setTimeout(120_000);

const env = faultEnv;
const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;
let models: FaultModels;
let bench: SentinelBench;

beforeAll(() => {
  models = makeFaultModels(true);
});
afterEach(() => bench.stop());
afterAll(() => models.remove());

const start = (
  ...[options, adapt]: [Parameters<typeof startSentinel>[1]?, ((c: EngineClient) => EngineClient)?]
) => (bench = startSentinel(models.folder, { ...options, env }, adapt));

async function ask(parameters: RequestParameters = {}, requestId = 'r', ms = 60_000) {
  return (await bench.client()).infer({ ...faultRequest(parameters), requestId }, inMs(ms));
}

/** What the worker does with a shard. */
function solve(shard: Shard, index: number, suspects = new Suspects()) {
  const { placement, events } = bench;
  const wanted = { ...shard, shardIndex: index as ShardIndex, deadline: inMs(60_000) };
  return solveShard(wanted, {
    placement,
    suspects,
    startMarginMs: 0,
    onResent: ({ runId, roundId, shardIndex }, code) =>
      events.ShardResent({ runId, roundId, shardIndex, code }),
    onGivenUp: ({ runId, roundId, shardIndex }, reason) =>
      events.ShardGivenUp({ runId, roundId, shardIndex, reason }),
  });
}

test('an engine that is killed with work under way: replaced, reported with the signal and its requests', async () => {
  start();
  const pid = await bench.pid();
  await ask({}, 'first');
  const open = [0, 1, 2].map((i) => ask({ delay_ms: 600_000 }, `open-${i}`));
  const ends = Promise.allSettled(open);
  await stopProcess(pid);
  process.kill(pid, 'SIGKILL');
  for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'ENGINE_LOST' } });
  expect(await bench.pid()).not.toBe(pid);
  await ask();
  await bench.untilSeen('IncidentReported', 1);
  const [incident] = bench.incidents();
  expect(incident).toMatchObject({
    kind: 'death',
    role: 'active',
    reaction: 'restart',
    engine: { pid, exitCode: null, signal: 'SIGKILL' },
    core: { path: null },
    versions: { node: process.version },
  });
  const ids = incident!.requests.map(({ id, result }) => `${id} ${result}`);
  expect(ids).toEqual(['open-0 open', 'open-1 open', 'open-2 open', 'first ok']);
  // The first engine was waited for, too.
  for (const { downSeconds } of bench.all('EngineActivated')) expect(downSeconds).toBeGreaterThan(0);
  expect(incident!.models).toContainEqual({ name: 'candidate_cost', version: '1', state: 'READY' });
  const [name] = readdirSync(bench.incidentFolder);
  expect(statSync(join(bench.incidentFolder, name!)).mode & 0o777).toBe(0o600);
  expect(statSync(bench.incidentFolder).mode & 0o777).toBe(0o700);
});

test('over gRPC alone: the calls that are cut off tell first, and long work given up is no silence', async () => {
  start({ overGrpc: true, silenceFloorMs: 500 });
  const pid = await bench.pid();
  await ask();
  await expect(ask({ delay_ms: 600_000 }, 'late', 100)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const open = ask({ delay_ms: 600_000 }, 'open');
  // Answered on the same connection, after it was sent.
  expect(await (await bench.client()).isReady()).toBe(true);
  process.kill(pid, 'SIGKILL');
  await expect(open).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  await ask();
  await bench.untilSeen('IncidentReported', 1);
  expect(bench.incidents()).toMatchObject([{ kind: 'death', engine: { pid, signal: 'SIGKILL' } }]);
});

test('an idle engine that stands still, and one that exits and says why', async () => {
  start();
  const first = await bench.pid();
  await stopProcess(first);
  await bench.untilSeen('EngineActivated', 2);
  const second = await bench.pid();
  await ask({ exit: 7 }).catch(() => undefined);
  await bench.untilSeen('EngineActivated', 3);
  expect(await bench.pid()).not.toBe(second);
  await bench.untilSeen('IncidentReported', 2);
  expect(bench.incidents()).toMatchObject([
    { kind: 'silence', engine: { pid: first, signal: 'SIGKILL' }, requests: [] },
    { kind: 'death', engine: { pid: second } },
  ]);
});

test('a model that is silent with work in flight, while the engine answers probes', async () => {
  start({ silenceFloorMs: 500 });
  await ask();
  const pid = await bench.pid();
  // Four instances hang. A good request took some ms, so the budget is 2 × 500 ms and little more.
  const hung = await Promise.allSettled([0, 1, 2, 3].map((i) => ask({ hang: true }, `hung-${i}`)));
  for (const end of hung) expect(end).toMatchObject({ reason: { code: 'ENGINE_LOST' } });
  await ask();
  await bench.untilSeen('IncidentReported', 1);
  const [incident] = bench.incidents();
  expect(incident).toMatchObject({
    kind: 'silence',
    engine: { pid },
    silence: { model: 'fault_injection', requests: 4 },
  });
  expect(incident!.silence!.silentMs).toBeGreaterThan(incident!.silence!.budgetMs);
});

test('long work is not taken for silence: of a model without a past, and of one that is known to be slow', async () => {
  start({ silenceFloorMs: 500 });
  // The floor of work is 2 × 500 ms. The first 2.5 s are within the time until the deadline; 2.5 s for
  // 3 bytes are then known, so that 4 × 2.5 s are allowed.
  for (const id of ['unknown', 'known']) await ask({ delay_ms: 2_500 }, id);
  // Given up at its deadline and cancelled: the engine lets go, and is not silent afterwards.
  await expect(ask({ delay_ms: 600_000 }, 'late', 100)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(bench.all('EngineLost')).toEqual([]);
});

test('a broken device: the engine is replaced at once, seen in an answer or by its exit code', async () => {
  start();
  const first = await bench.pid();
  await expect(ask({ device_fault: true })).rejects.toMatchObject({ code: 'DEVICE_FAULT' });
  const second = await bench.pid();
  expect(second).not.toBe(first);
  // A client of its own, which the sentinel doesn't see.
  const outside = connectEngine({ address: bench.link.address()! });
  const fault = outside.infer(faultRequest({ device_fault: true }), inMs(60_000));
  await expect(fault).rejects.toMatchObject({ code: 'DEVICE_FAULT' });
  await bench.untilSeen('EngineActivated', 3);
  await outside.close();
  await bench.untilSeen('IncidentReported', 2);
  expect(bench.incidents()).toMatchObject([
    { kind: 'device_fault', engine: { pid: first } },
    { kind: 'device_fault', engine: { pid: second } },
  ]);
});

test('a model that used to answer and fails every request: one new engine, not a second one', async () => {
  start();
  const pid = await bench.pid();
  await ask();
  const fail = async (id: string) =>
    ask({ fail: 'out of order' }, id).catch(({ code }: { code: string }) => code);
  // One request that fails again and again says nothing of the engine; five different ones do.
  for (let i = 0; i < 10; i++) expect(await fail('same')).toBe('MODEL_FAILED');
  expect(await bench.pid()).toBe(pid);
  for (let i = 0; i < 4; i++) expect(await fail(`f${i}`)).toBe('MODEL_FAILED');
  await bench.untilSeen('EngineActivated', 2);
  const next = await bench.pid();
  for (let i = 0; i < 10; i++) expect(await fail(`g${i}`)).toBe('MODEL_FAILED');
  expect(await bench.pid()).toBe(next);
  await bench.untilSeen('IncidentReported', 1);
  expect(bench.incidents()).toMatchObject([{ kind: 'model_failures', engine: { pid } }]);
});

test('an engine with more memory than the limit is replaced', async () => {
  start({ memoryLimitBytes: 400 * 1_048_576 });
  const pid = await bench.pid();
  await ask({ leak_bytes: 500 * 1_048_576 }).catch(() => undefined);
  await bench.untilSeen('EngineActivated', 2);
  await bench.untilSeen('IncidentReported', 1);
  const [incident] = bench.incidents();
  expect(incident).toMatchObject({
    kind: 'memory',
    engine: { pid },
    memory: { limitBytes: 400 * 1_048_576 },
  });
  expect(incident!.memory.residentBytes).toBeGreaterThan(400 * 1_048_576);
});

test('a warm standby takes over with shards under way; models follow; a new standby is warmed', async () => {
  start({ standby: true });
  const shard = makeShard();
  await solve(shard, 0);
  await bench.until(() => bench.all('StandbyChanged').at(-1)?.['ready'] === true, 'a warm standby');
  const first = await bench.pid();
  const standby = bench.all('EngineStarted').map(({ enginePid }) => enginePid)[1];
  await (await bench.client()).unloadModel('delivery_time');
  await bench.link.models.note({ kind: 'unload', model: 'delivery_time' });
  await bench.until(() => bench.all('StandbyChanged').at(-1)?.['ready'] === true, 'the standby has followed');

  await stopProcess(first);
  const suspects = new Suspects();
  const solved = [1, 2, 3, 4].map((i) => solve(shard, i, suspects));
  process.kill(first, 'SIGKILL');
  for (const one of await Promise.all(solved)) expect(one?.outcome.status).toBe('solved');
  expect(bench.all('ShardResent')).toHaveLength(4);
  expect(await bench.pid()).toBe(standby);
  expect(await (await bench.client()).isModelReady('delivery_time')).toBe(false);
  expect(await (await bench.client()).isModelReady('candidate_cost')).toBe(true);

  await bench.untilSeen('EngineStarted', 3);
  await bench.until(() => bench.all('StandbyChanged').at(-1)?.['ready'] === true, 'a new standby');
  process.kill(await bench.pid(), 'SIGKILL');
  await bench.untilSeen('EngineActivated', 3);
  expect(await (await bench.client()).isModelReady('delivery_time')).toBe(false);
  await bench.untilSeen('IncidentReported', 2);
  expect(bench.incidents().map(({ reaction }) => reaction)).toEqual([
    'standby_took_over',
    'standby_took_over',
  ]);
});

/** A shard of these ids makes the backend end the process. */
function pillFor(ids: readonly number[]): (client: EngineClient) => EngineClient {
  return (client) => {
    const infer: EngineClient['infer'] = (request, deadline, signal) => {
      const index = Number(request.requestId.split('\u001f').at(-1));
      if (!ids.includes(index)) return client.infer(request, deadline, signal);
      const pill = { ...faultRequest({ segfault: true }), requestId: request.requestId };
      return client.infer(pill, deadline, signal);
    };
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'infer') return infer;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };
}

test('a shard that ends engines is given up after two; those that were lost beside it are solved', async () => {
  start({}, pillFor([3]));
  const shard = makeShard();
  const pid = await bench.pid();
  const suspects = new Suspects();
  await stopProcess(pid);
  const all = [0, 1, 2, 3, 4, 5].map((i) => solve(shard, i, suspects));
  process.kill(pid, 'SIGCONT');
  const results = await Promise.all(all);
  const failed = results.filter((result) => result?.outcome.status !== 'solved');
  expect(failed).toMatchObject([{ outcome: { shardIndex: 3, errorCode: 'ENGINE_LOST' } }]);
  expect(bench.all('ShardGivenUp')).toMatchObject([{ shardIndex: 3, reason: 'lost_twice' }]);
  await bench.untilSeen('EngineActivated', 3);
  await bench.untilSeen('IncidentReported', 2);
  expect(bench.incidents()).toMatchObject([
    { kind: 'death', engine: { signal: 'SIGSEGV' } },
    { kind: 'death', engine: { signal: 'SIGSEGV' } },
  ]);
});

test('engines that keep ending open the circuit; a trial that fails makes the pause longer; one that stays up closes it', async () => {
  start({ circuitPauseMs: 200 });
  let alive = 0;
  const killer = setInterval(() => {
    const { length } = bench.all('EngineStarted');
    if (alive === length) return;
    alive = length;
    process.kill(bench.all('EngineStarted').at(-1)!['enginePid'] as number, 'SIGKILL');
  }, 5);
  // Four strikes, then a failed trial: pauses of 200 and 400 ms.
  await bench.untilSeen('CircuitChanged', 2);
  clearInterval(killer);
  const [opened, again] = bench.all('CircuitChanged');
  expect(opened).toMatchObject({ state: 'open', strikes: 4, trialInMs: 200 });
  expect(again).toMatchObject({ state: 'open', strikes: 5, trialInMs: 400 });
  expect(bench.link.whyDown()).toMatch(
    /^5 engines in a row ended soon, the next is tried in 400 ms: the engine ended/,
  );
  expect(bench.link.whyHandedOver()).not.toBeNull();
  // Left to others at once, however much time there is.
  expect(await solve(makeShard(), 0)).toBeNull();
  await bench.until(() => bench.link.whyHandedOver() === null, 'closed');
  expect(bench.all('CircuitChanged').at(-1)).toMatchObject({ state: 'closed' });
  expect((await solve(makeShard(), 0))?.outcome.status).toBe('solved');
  await bench.untilSeen('IncidentReported', 5);
  const reactions = bench.incidents().map(({ reaction }) => reaction);
  expect(reactions.slice(0, 5)).toEqual([
    'restart',
    'restart',
    'restart',
    'circuit_opened',
    'circuit_opened',
  ]);
});
