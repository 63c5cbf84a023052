import type { EngineClient } from '#lib/engine-client/port';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import type { RoundhouseError } from '#schemas/errors';
import { EchoQueue, inMs, minute } from './echo-queue';
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

const late = { code: 'DEADLINE_EXCEEDED' };

describe.each(['grpc', 'shm'])('over %s', (kind) => {
  let client: EngineClient;
  beforeAll(() => void (client = queue.connect(kind)));

  function send(ms = minute, parameters: RequestParameters = {}, signal?: AbortSignal) {
    const request = { model: 'echo', version: '', requestId: 'r', inputs: echoInputs([1]), parameters };
    return client.infer(request, inMs(ms), signal);
  }
  const hold = (ms = minute, parameters: RequestParameters = {}) => queue.hold(client, ms, { parameters });

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
