import type { EngineClient, InferRequest, InferResponse } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { EngineLink } from '../engine-link';
import { HandedOver, LateHere, NoEngineInTime, UnfitHere, type PlacedWork } from '../placement/placement';
import { EngineDevice } from './engine-device';
import { makeScheduler, type SchedulerName } from './make-scheduler';
import { ScheduledEngines } from './scheduled-engines';

/** No test waits by the clock: time passes when a test says so. */
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());
const pass = (ms: number): void => void jest.advanceTimersByTime(ms);

const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;

/** An engine whose answers are given by hand. */
class Engine {
  readonly asked: string[] = [];
  private readonly open = new Map<
    string,
    { resolve(answer: InferResponse): void; reject(why: Error): void }
  >();

  get client(): EngineClient {
    const infer = ({ requestId }: InferRequest): Promise<InferResponse> => {
      this.asked.push(requestId);
      return new Promise((resolve, reject) => this.open.set(requestId, { resolve, reject }));
    };
    return { infer } as unknown as EngineClient;
  }

  answer(requestId: string): Promise<void> {
    this.open.get(requestId)!.resolve({ model: 'm', version: '1', outputs: [] });
    return settled();
  }

  fail(requestId: string, code: 'ENGINE_LOST' | 'MODEL_FAILED'): Promise<void> {
    this.open.get(requestId)!.reject(new RoundhouseError(code, 'no'));
    return settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function work(requestId: string, changes: Partial<PlacedWork> = {}): PlacedWork {
  const request = { model: 'm', version: '1', requestId, inputs: [] };
  return { request, size: 100, bytesIn: 0, bytesOut: 0, failedOn: new Set(), ...changes };
}

function enginesOn(
  links: readonly EngineLink[],
  name: SchedulerName = 'staggered',
  poolBytes = 1_000,
): ScheduledEngines {
  const devices = links.map((link, at) => new EngineDevice({ id: `d${at}`, link, arenaBytes: 10_000 }));
  return new ScheduledEngines({
    devices,
    ...makeScheduler(name, poolBytes, devices),
    poolBytesOf: ({ bytesIn }) => bytesIn,
    arenaBytesOf: ({ bytesOut }) => bytesOut,
  });
}

function up(link = new EngineLink(), kind = 'cpu'): { link: EngineLink; engine: Engine } {
  const engine = new Engine();
  link.up(engine.client, 'unix:none', kind);
  return { link, engine };
}

test('an answer names its engine and its kind of device', async () => {
  const { link, engine } = up();
  const answer = enginesOn([link]).infer(work('a'), inMs(60_000));
  await engine.answer('a');
  expect(await answer).toMatchObject({ deviceKind: 'cpu', engine: 'd0#1' });
});

test.each(['fifo', 'staggered'] as const)(
  '%s: what comes while no engine is up goes to the first one',
  async (name) => {
    const link = new EngineLink();
    const engines = enginesOn([link], name);
    const answer = engines.infer(work('a'), inMs(60_000));
    expect(engines.expectedFinishMs(work('a'))).toBeNull();
    expect(engines.load()).toMatchObject({ waiting: 1, inFlight: 0, devices: [{ id: 'd0', ready: false }] });
    const { engine } = up(link);
    expect(engines.load()).toMatchObject({ waiting: 0, inFlight: 1 });
    await engine.answer('a');
    await answer;
    expect(engines.load()).toMatchObject({ inFlight: 0 });
  },
);

test('without an engine until its deadline it says why there is none', async () => {
  const link = new EngineLink();
  link.down('it ended');
  const waiting = enginesOn([link]).infer(work('a'), inMs(20));
  pass(20);
  await expect(waiting).rejects.toThrow(new NoEngineInTime('it ended'));
});

test('what cannot be done in time by what was seen is given back unsent', async () => {
  const { link, engine } = up();
  const engines = enginesOn([link]);
  const first = engines.infer(work('slow'), inMs(60_000));
  pass(60);
  await engine.answer('slow');
  await first;
  // It is learned from when a batch that it may have been in is over.
  pass(40);
  // 100 candidates took 60 ms.
  await expect(engines.infer(work('late'), inMs(30))).rejects.toBeInstanceOf(LateHere);
  expect(engine.asked).toEqual(['slow']);
  expect(engines.figures()).toMatchObject({ started: 1, late: 1 });
});

test('more memory than there is in all is unfit, more than there is now waits', async () => {
  const { link, engine } = up();
  const engines = enginesOn([link], 'fifo');
  await expect(engines.infer(work('pool', { bytesIn: 1_001 }), inMs(60_000))).rejects.toBeInstanceOf(
    UnfitHere,
  );
  await expect(engines.infer(work('arena', { bytesOut: 10_001 }), inMs(60_000))).rejects.toBeInstanceOf(
    UnfitHere,
  );
  const first = engines.infer(work('a', { bytesIn: 600 }), inMs(60_000));
  const second = engines.infer(work('b', { bytesIn: 600 }), inMs(60_000));
  expect(engine.asked).toEqual(['a']);
  await engine.answer('a');
  await first;
  expect(engine.asked).toEqual(['a', 'b']);
  expect(engines.figures().poolPeakBytes).toBe(600);
  await engine.answer('b');
  await second;
});

test('a shard that was lost with its engine names it, and the others go to the device that is left', async () => {
  const [a, b] = [up(), up()];
  const engines = enginesOn([a.link, b.link], 'fifo');
  const lost = work('lost');
  const first = engines.infer(lost, inMs(60_000));
  const other = engines.infer(work('other'), inMs(60_000));
  expect([a.engine.asked, b.engine.asked]).toEqual([['lost'], ['other']]);
  const why = first.catch((error: RoundhouseError) => error.code);
  a.link.down('it ended');
  await a.engine.fail('lost', 'ENGINE_LOST');
  expect(await why).toBe('ENGINE_LOST');
  expect([...lost.failedOn]).toEqual(['d0#1']);
  const again = engines.infer(lost, inMs(60_000));
  expect(b.engine.asked).toEqual(['other', 'lost']);
  for (const id of ['other', 'lost']) await b.engine.answer(id);
  expect((await again).engine).toBe('d1#1');
  await other;
  const { engine: successor } = up(a.link);
  const next = ['x', 'y'].map((id) => engines.infer(work(id), inMs(60_000)));
  await b.engine.answer('x');
  await successor.answer('y');
  expect((await Promise.all(next)).map(({ engine }) => engine)).toEqual(['d1#1', 'd0#2']);
});

test.each(['fifo', 'staggered'] as const)(
  '%s: what an engine was lost with it does not get again, though nobody has marked it down yet',
  async (name) => {
    const [a, b] = [up(), up()];
    const engines = enginesOn([a.link, b.link], name);
    const lost = work('lost', { failedOn: new Set(['d0#1']) });
    const answer = engines.infer(lost, inMs(60_000));
    expect([a.engine.asked, b.engine.asked]).toEqual([[], ['lost']]);
    await b.engine.answer('lost');
    expect((await answer).engine).toBe('d1#1');
  },
);

test.each(['fifo', 'staggered'] as const)(
  '%s: while no other engine is up it waits for a successor, and nobody waits behind it',
  async (name) => {
    const { link, engine } = up();
    const engines = enginesOn([link], name);
    const lost = work('lost', { failedOn: new Set(['d0#1']) });
    const answer = engines.infer(lost, inMs(60_000));
    const other = engines.infer(work('other'), inMs(60_000));
    expect(engine.asked).toEqual(['other']);
    expect([engines.expectedFinishMs(lost), engines.load().waiting]).toEqual([null, 1]);
    await engine.answer('other');
    await other;
    link.down('it ended');
    const { engine: successor } = up(link);
    expect(successor.asked).toEqual(['lost']);
    await successor.answer('lost');
    expect((await answer).engine).toBe('d0#2');
  },
);

test('one that waited for any engine is kept back when the only one left was lost with it', async () => {
  const [a, b] = [up(), up()];
  const engines = enginesOn([a.link, b.link], 'fifo', 500);
  const first = ['x', 'y'].map((id) => engines.infer(work(id, { bytesIn: 250 }), inMs(60_000)));
  const ends = first.map((each) => each.catch(() => 'lost'));
  // There is no room in the pool: it waits in the scheduler.
  const lost = engines.infer(work('lost', { bytesIn: 250, failedOn: new Set(['d0#1']) }), inMs(60_000));
  b.link.down('it ended');
  await b.engine.fail('y', 'ENGINE_LOST');
  await a.engine.answer('x');
  await Promise.all(ends);
  expect([a.engine.asked, engines.load().waiting]).toEqual([['x'], 1]);
  const { engine: successor } = up(b.link);
  await successor.answer('lost');
  expect((await lost).engine).toBe('d1#2');
});

test('kept back until its deadline it is late; given up, or stopped, it ends at once', async () => {
  const { link } = up();
  const engines = enginesOn([link]);
  const barred = (id: string): PlacedWork => work(id, { failedOn: new Set(['d0#1']) });
  const late = engines.infer(barred('a'), inMs(5));
  pass(5);
  await expect(late).rejects.toBeInstanceOf(LateHere);
  const abort = new AbortController();
  const waiting = engines.infer(barred('b'), inMs(60_000), abort.signal);
  abort.abort(new Error('no longer wanted'));
  await expect(waiting).rejects.toThrow('no longer wanted');
  const other = engines.infer(barred('c'), inMs(60_000));
  link.close();
  await expect(other).rejects.toBeInstanceOf(NoEngineInTime);
  expect(engines.load().waiting).toBe(0);
});

test('a failure of the model is nothing that another engine should get', async () => {
  const { link, engine } = up();
  const failed = work('a');
  const answer = enginesOn([link]).infer(failed, inMs(60_000));
  const why = answer.catch((error: RoundhouseError) => error.code);
  await engine.fail('a', 'MODEL_FAILED');
  expect(await why).toBe('MODEL_FAILED');
  expect(failed.failedOn.size).toBe(0);
});

test('when all devices are handed over, what waits and what comes is left to other workers', async () => {
  const links = [new EngineLink(), new EngineLink()] as const;
  const engines = enginesOn(links);
  const waiting = engines.infer(work('a'), inMs(60_000));
  links[0].handOver('engines keep ending');
  expect(engines.whyHandedOver()).toBeNull();
  links[1].handOver('engines keep ending');
  await expect(waiting).rejects.toBeInstanceOf(HandedOver);
  await expect(engines.infer(work('b'), inMs(60_000))).rejects.toBeInstanceOf(HandedOver);
  const { engine } = up(links[0]);
  const later = engines.infer(work('c'), inMs(60_000));
  await engine.answer('c');
  await later;
});

test('a caller gives up what waits; a stop ends it', async () => {
  const link = new EngineLink();
  const engines = enginesOn([link]);
  const abort = new AbortController();
  const waiting = engines.infer(work('a'), inMs(60_000), abort.signal);
  abort.abort(new Error('no longer wanted'));
  await expect(waiting).rejects.toThrow('no longer wanted');
  expect(engines.load().waiting).toBe(0);
  const other = engines.infer(work('b'), inMs(60_000));
  link.close();
  await expect(other).rejects.toBeInstanceOf(NoEngineInTime);
  await expect(engines.infer(work('c'), inMs(60_000))).rejects.toBeInstanceOf(NoEngineInTime);
});
