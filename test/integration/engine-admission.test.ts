import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient, InferResponse } from '#lib/engine-client/port';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import { createTelemetry } from '#lib/telemetry';
import { AdmissionWatch } from '#services/inference-worker/admission/admission-watch';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { EngineLink } from '#services/inference-worker/engine-link';
import { workerEvents } from '#services/inference-worker/events';
import type { UnixMs } from '#schemas/brands';
import type { RoundhouseError } from '#schemas/errors';
import { AdmissionView, Releases } from './engine-admission';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';

jest.setTimeout(60_000);

/** One instance that takes one request at a time: whoever has it keeps all others out. */
const config = `backend: "echo" max_batch_size: 1
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;
const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
const events = workerEvents(telemetry);

let repository: TestRepository;
let engine: RunningEngine;
let admission: AdmissionView;
const releases = new Releases();
const clients: EngineClient[] = [];

beforeAll(async () => {
  repository = makeRepository({ echo: config });
  engine = await startEngineProcess(repository.folder, {
    ROUNDHOUSE_ENGINE_MAX_QUEUED: '3',
    ECHO_RELEASES: releases.folder,
  });
  admission = new AdmissionView(engine.address);
});
afterAll(async () => {
  for (const client of clients) await client.close();
  admission.close();
  await engine.stop();
  repository.remove();
  releases.remove();
});

function connect(kind: string): EngineClient {
  const { address } = engine;
  const grpc = connectEngine({ address });
  const poolBytes = 64 * 1_048_576;
  const client =
    kind === 'grpc' ? grpc : connectOverShm({ address, grpc, events, poolBytes, whenEmpty: 'inline' });
  clients.push(client);
  return client;
}

const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;
const minute = 60_000;
const late = { code: 'DEADLINE_EXCEEDED' };

describe.each(['grpc', 'shm'])('over %s', (kind) => {
  let client: EngineClient;
  beforeAll(() => void (client = connect(kind)));

  function send(ms = minute, parameters: RequestParameters = {}, signal?: AbortSignal) {
    const request = { model: 'echo', version: '', requestId: 'r', inputs: echoInputs([1]), parameters };
    return client.infer(request, inMs(ms), signal);
  }
  /** Has the only instance until it is released, whatever becomes of its caller. */
  function hold(ms = minute, parameters: RequestParameters = {}) {
    const name = releases.next();
    const inputs = echoInputs([1], operations.hold, name);
    const answer = client.infer({ model: 'echo', version: '', requestId: 'h', inputs, parameters }, inMs(ms));
    answer.catch(() => undefined);
    return { answer, release: () => releases.release(name) };
  }

  test('behind one that never ends a request is given back at its own deadline; then the queue goes on', async () => {
    const before = await admission.counts();
    const first = hold(300);
    await admission.until(1, 0);
    const behind = send(100);
    const after = send();
    let ended = false;
    void after.then(() => (ended = true));
    await expect(behind).rejects.toMatchObject(late);
    await expect(first.answer).rejects.toMatchObject(late);
    // The instance and the place in the core are the first one's until it ends; the other waits.
    await admission.until(1, 1);
    expect(ended).toBe(false);
    first.release();
    expect((await after).version).toBe('1');
    await admission.until(0, 0);
    const counts = await admission.counts();
    expect(counts['started_at_once']! - before['started_at_once']!).toBe(1);
    expect(counts['started_later']! - before['started_later']!).toBe(1);
    // The caller's timer and the engine's: whichever came first, it is one end.
    const given = (of: Readonly<Record<string, number>>) => of['expired_running']! + of['cancelled_running']!;
    expect(given(counts) - given(before)).toBe(1);
  });

  test('the parameter timeout is a deadline, while a request waits and while it runs', async () => {
    // 100,000 µs: 0.1 s; the caller would wait a minute.
    const before = await admission.counts();
    const first = hold(minute, { timeout: 150_000 });
    await admission.until(1, 0);
    await expect(send(minute, { timeout: 100_000 })).rejects.toMatchObject(late);
    await expect(first.answer).rejects.toMatchObject(late);
    await admission.until(1, 0);
    const counts = await admission.counts();
    expect(counts['expired_queued']! - before['expired_queued']!).toBe(1);
    expect(counts['expired_running']! - before['expired_running']!).toBe(1);
    first.release();
    await admission.until(0, 0);
  });

  test('by priority, then by deadline, then as they came', async () => {
    const order: string[] = [];
    const note = (name: string) => (): void => void order.push(name);
    const first = hold();
    await admission.until(1, 0);
    const low = send(minute, { priority: 9 }).then(note('low'));
    await admission.until(1, 1);
    const later = send(minute).then(note('later'));
    await admission.until(1, 2);
    const sooner = send(minute / 2).then(note('sooner'));
    await admission.until(1, 3);
    // The queue has room for three, so the highest comes when one has left.
    first.release();
    await Promise.all([first.answer, low, later, sooner]);
    expect(order).toEqual(['sooner', 'later', 'low']);

    const second = hold();
    await admission.until(1, 0);
    const plain = send().then(note('plain'));
    await admission.until(1, 1);
    const same = send(minute, { priority: 5 }).then(note('same'));
    await admission.until(1, 2);
    const high = send(minute, { priority: 1 }).then(note('high'));
    await admission.until(1, 3);
    second.release();
    await Promise.all([plain, same, high]);
    expect(order.slice(3)).toEqual(['high', 'plain', 'same']);
  });

  test('a full queue refuses at once, with the time that is left', async () => {
    const first = hold();
    await admission.until(1, 0);
    const waiting = [send(), send(), send()];
    await admission.until(1, 3);
    const refused: RoundhouseError = await send(5_000, { priority: 9 }).then(
      () => Promise.reject(new Error('admitted')),
      (error: RoundhouseError) => error,
    );
    expect(refused).toMatchObject({
      code: 'ENGINE_BUSY',
      message: expect.stringMatching(/^the queue is full with 3 requests; (\d+) ms remain to its deadline$/),
    });
    const left = Number(/(\d+) ms/.exec(refused.message)![1]);
    expect(left).toBeLessThanOrEqual(5_000);
    expect(refused.remainingMs).toBe(left);
    expect(await admission.now()).toMatchObject({ in_core: 1, queued: 3 });
    first.release();
    for (const answer of await Promise.all(waiting)) expect(answer.version).toBe('1');
  });

  test('at a full queue a higher priority, then an earlier deadline, has the place of the least urgent', async () => {
    const before = await admission.counts('low');
    const first = hold();
    await admission.until(1, 0);
    const order: string[] = [];
    const note = (name: string) => (): void => void order.push(name);
    // The oldest keeps its place, however little it is worth.
    const oldest = send(minute, { priority: 9 }).then(note('oldest'));
    await admission.until(1, 1);
    const refusal = (one: Promise<unknown>): Promise<RoundhouseError> =>
      one.then(
        () => Promise.reject(new Error('answered')),
        (error: RoundhouseError) => error,
      );
    const later = refusal(send(minute, { priority: 8 }));
    await admission.until(1, 2);
    const sooner = refusal(send(minute / 2, { priority: 8 }));
    await admission.until(1, 3);
    const high = send(minute, { priority: 1 }).then(note('high'));
    expect(await later).toMatchObject({
      code: 'ENGINE_BUSY',
      message: expect.stringMatching(/^the queue is full, and a more urgent request has its place; \d+ ms/),
    });
    const plain = send().then(note('plain'));
    const { code, remainingMs } = await sooner;
    expect(code).toBe('ENGINE_BUSY');
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(minute / 2);
    expect(await refusal(send(1_000, { priority: 6 }))).toMatchObject({ code: 'ENGINE_BUSY' });
    first.release();
    await Promise.all([first.answer, oldest, high, plain]);
    expect(order).toEqual(['high', 'plain', 'oldest']);
    const counts = await admission.counts('low');
    expect(counts['displaced']! - before['displaced']!).toBe(2);
    expect(counts['refused_full']! - before['refused_full']!).toBe(1);
  });

  test('the version that is named and the one that the core takes for none share their place', async () => {
    const first = hold();
    await admission.until(1, 0);
    const named = client.infer(
      { model: 'echo', version: '1', requestId: 'v', inputs: echoInputs([1]) },
      inMs(minute),
    );
    await admission.until(1, 1);
    first.release();
    expect((await named).version).toBe('1');
    await admission.until(0, 0);
  });

  test('one that is given up while it waits never starts, and makes room', async () => {
    const before = await admission.counts();
    const first = hold();
    await admission.until(1, 0);
    const abort = new AbortController();
    const given = send(minute, {}, abort.signal);
    await admission.until(1, 1);
    abort.abort();
    await expect(given).rejects.toMatchObject(late);
    await admission.until(1, 0);
    first.release();
    await admission.until(0, 0);
    const counts = await admission.counts();
    expect(counts['cancelled_queued']! - before['cancelled_queued']!).toBe(1);
    expect(counts['started_later']).toBe(before['started_later']);
  });

  test.each([
    ['priority', -1],
    ['priority', 'high'],
    ['timeout', -5],
    ['timeout', 0.5],
  ])('%s %p is refused by name', async (name, value) => {
    await expect(send(minute, { [name]: value })).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: `parameters["${name}"]: must be a whole number, 0 or above`,
    });
  });
});

test('both ways in stand in one line', async () => {
  const [grpc, shm] = [connect('grpc'), connect('shm')];
  const name = releases.next();
  const inputs = echoInputs([1], operations.hold, name);
  const request = { model: 'echo', version: '', requestId: 'r' };
  const first = shm.infer({ ...request, inputs }, inMs(minute));
  await admission.until(1, 0);
  const order: string[] = [];
  const send = async (client: EngineClient, priority: number): Promise<InferResponse> => {
    const answer = await client.infer(
      { ...request, inputs: echoInputs([1]), parameters: { priority } },
      inMs(minute),
    );
    order.push(String(priority));
    return answer;
  };
  const low = send(shm, 8);
  await admission.until(1, 1);
  const middle = send(grpc, 7);
  await admission.until(1, 2);
  const high = send(shm, 6);
  await admission.until(1, 3);
  releases.release(name);
  await Promise.all([first, low, middle, high]);
  // The answers come by two ways: those of one keep their order.
  expect(order.filter((priority) => priority !== '7')).toEqual(['6', '8']);
  expect((await admission.counts('low'))['started_later']).toBeGreaterThanOrEqual(3);
});

test('what waits in a session that ends is dropped; what runs keeps its place until it ends', async () => {
  const client = connect('shm');
  const name = releases.next();
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = client.infer({ ...request, inputs: echoInputs([1], operations.hold, name) }, inMs(minute));
  await admission.until(1, 0);
  const waiting = [1, 2].map((n) => client.infer({ ...request, inputs: echoInputs([n]) }, inMs(minute)));
  await admission.until(1, 2);
  const ends = Promise.allSettled([held, ...waiting]);
  await client.close();
  for (const { status } of await ends) expect(status).toBe('rejected');
  await admission.until(1, 0);
  releases.release(name);
  await admission.until(0, 0);
});

test('the worker has the queue in its metrics, by class of priority', async () => {
  const client = connect('grpc');
  const link = new EngineLink();
  link.up(client, engine.address);
  const watch = new AdmissionWatch(link, events, 10);
  const metric = async (name: string, labels: Record<string, string>): Promise<number> => {
    const { values } = await telemetry.registry.getSingleMetric(name)!.get();
    const has = (found: Partial<Record<string, string | number>>): boolean =>
      Object.entries(labels).every(([key, value]) => found[key] === value);
    return values.find((value) => has(value.labels))?.value ?? 0;
  };
  const queued = () => metric('dispatch_engine_queued', { priority: 'low' });
  const name = releases.next();
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = client.infer({ ...request, inputs: echoInputs([1], operations.hold, name) }, inMs(minute));
  await admission.until(1, 0);
  const before = await metric('dispatch_engine_admissions_total', { priority: 'low', end: 'started_later' });
  const parameters = { priority: 9 };
  const waiting = client.infer({ ...request, inputs: echoInputs([1]), parameters }, inMs(minute));
  while ((await queued()) !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await metric('dispatch_engine_in_core', {})).toBe(1);
  releases.release(name);
  await Promise.all([held, waiting]);
  while ((await queued()) !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const started = await metric('dispatch_engine_admissions_total', { priority: 'low', end: 'started_later' });
  expect(started - before).toBeGreaterThanOrEqual(1);
  expect(await metric('dispatch_engine_queue_seconds_total', { priority: 'low' })).toBeGreaterThan(0);
  watch.close();
});

test('what waits for a model that is unloaded is still answered by it', async () => {
  const client = connect('grpc');
  const name = releases.next();
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = client.infer({ ...request, inputs: echoInputs([1], operations.hold, name) }, inMs(minute));
  await admission.until(1, 0);
  const waiting = client.infer({ ...request, inputs: echoInputs([1]) }, inMs(minute));
  await admission.until(1, 1);
  const unloaded = client.unloadModel('echo');
  const index = async () => (await client.repositoryIndex()).find((model) => model.name === 'echo')?.state;
  while ((await index()) === 'READY') await new Promise((resolve) => setTimeout(resolve, 5));
  releases.release(name);
  expect((await held).version).toBe('1');
  expect((await waiting).version).toBe('1');
  await unloaded;
  await client.loadModel('echo');
  expect((await client.infer({ ...request, inputs: echoInputs([1]) }, inMs(minute))).version).toBe('1');
});

test('one that waits for the latest version stays with it when a later one comes, and shares its place', async () => {
  const client = connect('grpc');
  const name = releases.next();
  const send = (version = '', inputs = echoInputs([1])) =>
    client.infer({ model: 'echo', version, requestId: 'r', inputs }, inMs(minute));
  const held = send('', echoInputs([1], operations.hold, name));
  await admission.until(1, 0);
  const waiting = send();
  await admission.until(1, 1);
  repository.write('echo', config, ['2']);
  await client.loadModel('echo');
  // Version 2 is the latest from now on, with an instance of its own.
  expect((await send()).version).toBe('2');
  expect((await send('2')).version).toBe('2');
  await admission.until(1, 1);
  releases.release(name);
  expect([(await held).version, (await waiting).version]).toEqual(['1', '1']);
  const second = releases.next();
  const latest = send('', echoInputs([1], operations.hold, second));
  await admission.until(1, 0);
  const named = send('2');
  await admission.until(1, 1);
  releases.release(second);
  expect([(await latest).version, (await named).version]).toEqual(['2', '2']);
});
