import type { EngineClient, InferResponse } from '#lib/engine-client/port';
import { AdmissionWatch } from '#services/inference-worker/admission/admission-watch';
import { EngineLink } from '#services/inference-worker/engine-link';
import { EchoQueue, inMs, minute, oneAtATime } from './echo-queue';
import type { AdmissionView } from './engine-admission';
import { echoInputs } from './engine-repository';

jest.setTimeout(60_000);

const queue = new EchoQueue();
let admission: AdmissionView;

beforeAll(async () => {
  await queue.start();
  admission = queue.admission;
});
afterAll(() => queue.stop());

test('both ways in stand in one line', async () => {
  const [grpc, shm] = [queue.connect('grpc'), queue.connect('shm')];
  const request = { model: 'echo', version: '', requestId: 'r' };
  const first = queue.hold(shm);
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
  first.release();
  await Promise.all([first.answer, low, middle, high]);
  // The answers come by two ways: those of one keep their order.
  expect(order.filter((priority) => priority !== '7')).toEqual(['6', '8']);
  expect((await admission.counts('low'))['started_later']).toBeGreaterThanOrEqual(3);
});

test('what waits in a session that ends is dropped; what runs keeps its place until it ends', async () => {
  const client = queue.connect('shm');
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = queue.hold(client);
  await admission.until(1, 0);
  const waiting = [1, 2].map((n) => client.infer({ ...request, inputs: echoInputs([n]) }, inMs(minute)));
  await admission.until(1, 2);
  const ends = Promise.allSettled([held.answer, ...waiting]);
  await client.close();
  for (const { status } of await ends) expect(status).toBe('rejected');
  await admission.until(1, 0);
  held.release();
  await admission.until(0, 0);
});

test('the worker has the queue in its metrics, by class of priority', async () => {
  const client = queue.connect('grpc');
  const link = new EngineLink();
  link.up(client, queue.engine.address);
  const watch = new AdmissionWatch(link, queue.events, 10);
  const { registry } = queue.telemetry;
  const low = { priority: 'low' };
  const queued = () => registry.total('dispatch_engine_queued', low);
  const startedLater = () =>
    registry.total('dispatch_engine_admissions_total', { ...low, end: 'started_later' });
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = queue.hold(client);
  await admission.until(1, 0);
  const before = startedLater();
  const parameters = { priority: 9 };
  const waiting = client.infer({ ...request, inputs: echoInputs([1]), parameters }, inMs(minute));
  while (queued() !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(registry.total('dispatch_engine_in_core')).toBe(1);
  const sessions = ['pinned', 'unpinned'].map((memory) =>
    registry.total('dispatch_engine_sessions', { memory }),
  );
  expect(sessions).toEqual([0, 0]);
  held.release();
  await Promise.all([held.answer, waiting]);
  while (queued() !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(startedLater() - before).toBeGreaterThanOrEqual(1);
  expect(registry.total('dispatch_engine_queue_wait_seconds', low, '_sum')).toBeGreaterThan(0);
  watch.close();
});

test('what waits for a model that is unloaded is still answered by it', async () => {
  const client = queue.connect('grpc');
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = queue.hold(client);
  await admission.until(1, 0);
  const waiting = client.infer({ ...request, inputs: echoInputs([1]) }, inMs(minute));
  await admission.until(1, 1);
  const unloaded = client.unloadModel('echo');
  const index = async () => (await client.repositoryIndex()).find((model) => model.name === 'echo')?.state;
  while ((await index()) === 'READY') await new Promise((resolve) => setTimeout(resolve, 5));
  held.release();
  expect((await held.answer).version).toBe('1');
  expect((await waiting).version).toBe('1');
  await unloaded;
  await client.loadModel('echo');
  expect((await client.infer({ ...request, inputs: echoInputs([1]) }, inMs(minute))).version).toBe('1');
});

test('one that waits for the latest version stays with it when a later one comes, and shares its place', async () => {
  const client = queue.connect('grpc');
  const send = (version = '') =>
    client.infer({ model: 'echo', version, requestId: 'r', inputs: echoInputs([1]) }, inMs(minute));
  const held = queue.hold(client);
  await admission.until(1, 0);
  const waiting = send();
  await admission.until(1, 1);
  queue.repository.write('echo', oneAtATime, ['2']);
  await client.loadModel('echo');
  // Version 2 is the latest from now on, with an instance of its own.
  expect((await send()).version).toBe('2');
  expect((await send('2')).version).toBe('2');
  await admission.until(1, 1);
  held.release();
  expect([(await held.answer).version, (await waiting).version]).toEqual(['1', '1']);
  const latest = queue.hold(client);
  await admission.until(1, 0);
  const named = send('2');
  await admission.until(1, 1);
  latest.release();
  expect([(await latest.answer).version, (await named).version]).toEqual(['2', '2']);
});
