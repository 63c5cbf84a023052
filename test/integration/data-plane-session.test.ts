import { statSync } from 'node:fs';
import { dataPlaneSocket, type SendPath } from '#lib/engine-client/data-plane';
import { loadBindings } from '#native/shm/bindings';
import { EngineRefusal } from '#native/shm/shm-error';
import type { ShmSessionOptions } from '#native/shm/session-types';
import { ShmSession } from '#native/shm/shm-session';
import { startEngineProcess, type RunningEngine } from './engine-process';
import {
  echoConfig,
  echoInputs,
  int32,
  makeRepository,
  operations,
  type TestRepository,
} from './engine-repository';

jest.setTimeout(60_000);

let repository: TestRepository;
let engine: RunningEngine;
const sessions: ShmSession[] = [];

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  engine = await startEngineProcess(repository.folder);
});
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
});
afterAll(async () => {
  expect(await engine.stop()).toBe(0);
  repository.remove();
});

async function open(options: Partial<ShmSessionOptions> = {}): Promise<ShmSession> {
  const session = await ShmSession.open({ socketPath: dataPlaneSocket(engine.socket), ...options });
  sessions.push(session);
  return session;
}
function request(data: readonly number[], operation = 0, argument = 0) {
  return { model: 'echo', version: -1, requestId: 'r', inputs: echoInputs(data, operation, argument) };
}
const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
const sumOf = (outputs: readonly { name: string; data: Uint8Array }[]): bigint =>
  Buffer.from(outputs.find(({ name }) => name === 'sum')!.data).readBigInt64LE();

test('payloads of every size come back, in the frame or in slots', async () => {
  const paths: SendPath[] = [];
  const session = await open({ onSent: (path) => paths.push(path) });
  // 4 bytes a value: 4 B, 4 kB, 400 kB and 4 MB; the sum of n ones is n.
  for (const count of [1, 1_000, 100_000, 1_000_000]) {
    const { outputs, version } = await session.infer(request(ones(count)));
    expect(version).toBe('1');
    expect(sumOf(outputs)).toBe(BigInt(count));
    expect(outputs.find(({ name }) => name === 'data')!.data.byteLength).toBe(4 * count);
  }
  expect(paths).toEqual(['frame', 'slot', 'slot', 'slot']);
  expect(session.heldSlots).toBe(0);
});

test('an answer of unforeseen size is fetched into a larger slot, the model runs once', async () => {
  const session = await open();
  const { outputs } = await session.infer(request([0], operations.fill, 200_000));
  // 200,000 sevens: 1,400,000
  expect(sumOf(outputs)).toBe(1_400_000n);
  expect(session.heldSlots).toBe(0);
});

test('an answer larger than any slot is an error, and its slots come back', async () => {
  const session = await open({ classes: [{ slotBytes: 65_536, count: 4 }] });
  await expect(session.infer(request([0], operations.fill, 200_000))).rejects.toMatchObject({
    code: 'ANSWER_TOO_LARGE',
  });
  while (session.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(session.heldSlots).toBe(0);
});

test('inputs written in place need no copy; the lease ends with the send', async () => {
  const session = await open();
  const lease = session.lease(8_200)!;
  const slot = Buffer.from(lease.memory);
  const data = slot.subarray(0, 8_192);
  data.fill(int32([1]));
  const control = slot.subarray(8_192, 8_200).fill(0);
  const inputs = [
    { name: 'data', datatype: 'INT32', shape: [1, 2_048], data },
    { name: 'control', datatype: 'INT32', shape: [1, 2], data: control },
  ];
  const answer = session.infer({ ...request([]), inputs }, { lease });
  expect(data).toHaveLength(0);
  expect(sumOf((await answer).outputs)).toBe(2_048n);
  await expect(session.infer({ ...request([]), inputs }, { lease })).rejects.toMatchObject({
    code: expect.stringMatching(/STALE_LEASE|INVALID_ARG/),
  });
  expect(session.heldSlots).toBe(0);
});

test('an input outside of its lease is refused', async () => {
  const session = await open();
  const lease = session.lease(8_192)!;
  await expect(session.infer(request(ones(100)), { lease })).rejects.toMatchObject({ code: 'INVALID_ARG' });
  lease.release();
  expect(session.heldSlots).toBe(0);
});

test('a view that was released throws when it is read; twice is once', async () => {
  const session = await open();
  const { outputs, release } = await session.infer(request(ones(50_000)), { keep: true });
  const { data } = outputs[0]!;
  const view = new DataView(data.buffer);
  expect(session.heldSlots).toBe(1);
  expect(view.getInt32(0, true)).toBe(1);
  release();
  release();
  expect(session.heldSlots).toBe(0);
  expect(() => view.getInt32(0, true)).toThrow(TypeError);
  expect(() => Buffer.from(data).readInt32LE(0)).toThrow(/outside buffer bounds/);
});

test('a lease has one view, under which its slot is never given back', () => {
  const bindings = loadBindings();
  const bytes = { ringBytes: 65_536, inlineBytes: 4_096, mostInlineBytes: 4_096, copyBelowBytes: 0 };
  const classes = [{ slotBytes: 65_536, count: 1 }];
  const settings = { socketPath: dataPlaneSocket(engine.socket), ...bytes, mostSpinUs: 0, classes };
  const handle = bindings.openSession(settings, () => undefined);
  const { slot, generation, memory } = bindings.lease(handle, 100)!;
  const viewed = expect.objectContaining({ code: 'INVALID_ARG', message: 'the lease has a view already' });
  expect(() => bindings.view(handle, slot, generation, 100)).toThrow(viewed);
  expect(() => bindings.copyOut(handle, slot, generation, 100)).toThrow(viewed);
  expect(bindings.heldSlots(handle)).toBe(1);
  expect(bindings.release(handle, slot, generation, memory)).toBe(true);
  expect(memory.byteLength).toBe(0);
  const next = bindings.lease(handle, 100)!;
  expect(next.slot).toBe(slot);
  expect(bindings.release(handle, next.slot, next.generation, next.memory)).toBe(true);
  bindings.closeSession(handle);
});

test('a view outlives its session', async () => {
  const session = await open();
  const { outputs } = await session.infer(request(ones(50_000)), { keep: true });
  await session.close();
  expect(Buffer.from(outputs[0]!.data).readInt32LE(199_996)).toBe(1);
});

test('small payloads go in the frame when the pool is empty, others wait', async () => {
  const paths: SendPath[] = [];
  let waits = 0;
  const classes = [{ slotBytes: 131_072, count: 2 }];
  const session = await open({
    classes,
    whenEmpty: 'inline',
    onSent: (path) => paths.push(path),
    onWait: () => (waits += 1),
  });
  const held = [session.lease(131_072)!, session.lease(131_072)!];
  // 8 kB is in the limit of a frame (64 KiB), 100 kB is not.
  const small = await session.infer(request(ones(2_000)));
  expect(sumOf(small.outputs)).toBe(2_000n);
  expect(paths).toEqual(['frame_since_empty']);
  const large = session.infer(request(ones(25_000)));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(waits).toBe(1);
  for (const lease of held) lease.release();
  expect(sumOf((await large).outputs)).toBe(25_000n);
  expect(session.heldSlots).toBe(0);
});

test('two hundred requests over two slots all get their turn', async () => {
  const session = await open({ classes: [{ slotBytes: 65_536, count: 2 }], whenEmpty: 'wait' });
  const all = Array.from({ length: 200 }, (_, i) => session.infer(request(ones(1_000 + i))));
  const sums = (await Promise.all(all)).map(({ outputs }) => sumOf(outputs));
  expect(sums).toEqual(Array.from({ length: 200 }, (_, i) => BigInt(1_000 + i)));
  expect(session.heldSlots).toBe(0);
});

test('a deadline answers at once; the slots come back when the core has let go', async () => {
  const session = await open();
  const started = performance.now();
  const slow = session.infer(request(ones(5_000), operations.sleep, 600_000), {
    deadlineMs: Date.now() + 100,
  });
  await expect(slow).rejects.toMatchObject({ code: expect.stringMatching(/DEADLINE/) });
  expect(performance.now() - started).toBeLessThan(60_000); // the model takes ten minutes
  while (session.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(session.heldSlots).toBe(0);
});

test('a request that waits for a slot keeps its deadline and can be given up', async () => {
  const session = await open({ classes: [{ slotBytes: 65_536, count: 2 }], whenEmpty: 'wait' });
  const held = [session.lease(1)!, session.lease(1)!];
  const abort = new AbortController();
  const late = session.infer(request(ones(5_000)), { deadlineMs: Date.now() + 30 });
  const given = session.infer(request(ones(5_000)), { signal: abort.signal });
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE' });
  abort.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  for (const lease of held) lease.release();
  expect(session.inFlight).toBe(0);
  expect(session.heldSlots).toBe(0);
});

test('errors of the core and of the engine come with their codes', async () => {
  const session = await open();
  const failing = session.infer(request([1], operations.fail));
  await expect(failing).rejects.toBeInstanceOf(EngineRefusal);
  await expect(failing).rejects.toMatchObject({ code: 'INTERNAL', ofTable: false, message: 'told to fail' });
  const unknown = session.infer({ ...request([1]), model: 'nobody' });
  await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND', ofTable: false });
  const short = [{ ...echoInputs([1])[0]!, shape: [1, 2] }, echoInputs([1])[1]!];
  await expect(session.infer({ ...request([]), inputs: short })).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message: 'inputs[0] "data".data: 4 bytes, but [1, 2] of INT32 needs 8',
  });
  const huge = [{ ...echoInputs([1])[0]!, shape: [2 ** 40, 2 ** 40] }, echoInputs([1])[1]!];
  await expect(session.infer({ ...request([]), inputs: huge })).rejects.toMatchObject({
    code: 'INVALID_ARG',
  });
  const past = session.infer(request([1]), { deadlineMs: Date.now() - 1 });
  await expect(past).rejects.toMatchObject({ code: expect.stringMatching(/DEADLINE/) });
});

test('only our own user may connect', () => {
  expect(statSync(dataPlaneSocket(engine.socket)).mode & 0o777).toBe(0o600);
});

test('nobody there, or settings that make no segment, are refused', async () => {
  const nobody = ShmSession.open({ socketPath: `${engine.socket}.nobody` });
  await expect(nobody).rejects.toMatchObject({ code: 'SOCKET_FAILED' });
  await expect(open({ classes: [] })).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
  await expect(open({ classes: [{ slotBytes: 100, count: 1 }] })).rejects.toMatchObject({
    code: 'SETTINGS_INVALID',
  });
  await expect(open({ ringBytes: 5_000 })).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
});
