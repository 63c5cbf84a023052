import { buildShard, costs, device, settings } from '../../test/support/build-scheduling';
import type { CostModel } from './cost-model';
import { Fifo } from './fifo';
import type { Decision, Scheduler, SchedulingDevice } from './scheduler';
import type { SchedulerSettings } from './settings';
import { Staggered } from './staggered';

/** Without a cushion: a shard starts when its longest phase would find its resource free. */
const exact = { cushionMs: 0, cushionShare: 0 };

function staggered(
  devices: readonly SchedulingDevice[],
  changes: Partial<SchedulerSettings> = {},
  model: CostModel = costs(),
): Staggered {
  const scheduler = new Staggered(settings({ ...exact, ...changes }), model);
  for (const one of devices) scheduler.deviceUp(one);
  return scheduler;
}

function idOf(decision: Decision): string {
  return decision.kind === 'wait'
    ? `wait ${Number(decision.untilMs.toFixed(6))}`
    : `${decision.kind} ${decision.shard.id}`;
}

describe('when', () => {
  test('a shard is held until its longest phase finds its resource free', () => {
    const scheduler = staggered([device('a')]);
    scheduler.arrive(buildShard('1'), 0);
    scheduler.arrive(buildShard('2'), 0);
    expect(idOf(scheduler.decide(0))).toBe('start 1');
    expect(idOf(scheduler.decide(0))).toBe('wait 10'); // 1 has 10 ms of ETR ahead
    scheduler.phaseStarted('1', 'decode', 0);
    scheduler.phaseEnded('1', 'decode', 0);
    scheduler.phaseStarted('1', 'copyIn', 0);
    scheduler.phaseEnded('1', 'copyIn', 0);
    scheduler.phaseStarted('1', 'etr', 3);
    expect(idOf(scheduler.decide(5))).toBe('wait 13'); // it began at 3: 8 ms are left at 5
    scheduler.phaseEnded('1', 'etr', 4);
    // Done early, and learned from: OR is the longest now, 10 ms of it ahead, which 2 reaches after 4 ms of ETR
    expect(idOf(scheduler.decide(7))).toBe('wait 13');
    expect(idOf(scheduler.decide(13))).toBe('wait 19'); // OR has not begun yet
    scheduler.phaseStarted('1', 'or', 13);
    expect(idOf(scheduler.decide(19))).toBe('start 2');
  });

  test('peaks interlock: while ETR is busy a shard starts that wants OR', () => {
    const models = costs({ e: { etr: 10, or: 1 }, o: { etr: 1, or: 10 } });
    const scheduler = staggered([device('a')], {}, models);
    scheduler.arrive(buildShard('e1', { model: 'e' }), 0);
    scheduler.arrive(buildShard('e2', { model: 'e' }), 0);
    scheduler.arrive(buildShard('o1', { model: 'o' }), 0);
    expect(idOf(scheduler.decide(0))).toBe('start e1');
    // e2 would wait 10 ms for ETR; o1's OR has 1 ms ahead, which its own 1 ms of ETR covers
    expect(idOf(scheduler.decide(0))).toBe('start o1');
    // e1's 10 ms of ETR and o1's 1
    expect(idOf(scheduler.decide(0))).toBe('wait 11');
  });

  test('long ones first where deadlines allow', () => {
    const scheduler = staggered([device('a')]);
    scheduler.arrive(buildShard('short'), 0);
    scheduler.arrive(buildShard('long', { size: 4 }), 0);
    expect(idOf(scheduler.decide(0))).toBe('start long');
  });

  test('one that might miss its deadline behind everything that waits goes first', () => {
    const scheduler = staggered([device('a')]);
    // It would be done at 20 of 25; what waits are 10 + 40 ms of ETR, and of OR.
    scheduler.arrive(buildShard('short', { deadlineMs: 25 }), 0);
    scheduler.arrive(buildShard('long', { size: 4 }), 0);
    expect(idOf(scheduler.decide(0))).toBe('start short');
  });

  test('one that was passed as often as allowed is next, and nobody else until then', () => {
    const scheduler = staggered([device('a')], { mostPasses: 2, cushionMs: 1_000 });
    scheduler.arrive(buildShard('old'), 0);
    for (const id of ['1', '2', '3']) scheduler.arrive(buildShard(id, { size: 4 }), 0);
    const started = [1, 2, 3, 4].map(() => idOf(scheduler.decide(0)));
    expect(started).toEqual(['start 1', 'start 2', 'start old', 'start 3']);
  });
});

describe('few in flight', () => {
  const threads = { sideBySide: new Map([['m', 2]]), isUntold: true };
  const onThreads = device('cpu', { ...threads, leastInFlight: 4 });

  /** What it decides of a lone round of so many shards. */
  function decided(scheduler: Scheduler, shards: number): string[] {
    scheduler.deviceUp(onThreads);
    for (let id = 1; id <= shards; id += 1) scheduler.arrive(buildShard(`${id}`), 0);
    return Array.from({ length: shards }, () => idOf(scheduler.decide(0)));
  }

  test('a lone round of 4 shards on two threads starts as with fifo, whatever is predicted', () => {
    const models = costs({ m: { or: 10 } });
    const rounds = [new Staggered(settings(exact), models), new Fifo(settings(exact), models)];
    const [own, fifo] = rounds.map((scheduler) => decided(scheduler, 4));
    expect(own).toEqual(['start 1', 'start 2', 'start 3', 'start 4']);
    expect(own).toEqual(fifo);
  });

  test('what comes on top is held, and follows each that leaves', () => {
    const scheduler = new Staggered(settings(exact), costs({ m: { or: 10 } }));
    const round = decided(scheduler, 6);
    // Four of 10 ms on two threads: 4 * 10 / 2 = 20 ms ahead
    expect(round.slice(3)).toEqual(['start 4', 'wait 20', 'wait 20']);
    scheduler.leave('1');
    expect([1, 2].map(() => idOf(scheduler.decide(1))[0])).toEqual(['s', 'w']);
  });
});

describe('passes', () => {
  const inPasses = new Map([
    ['light', 2],
    ['heavy', 1],
  ]);
  const models = { light: { or: 1 }, heavy: { or: 100 } };

  test('nothing of a model is held until its passes are full twice, whatever the others have under way', () => {
    const scheduler = new Staggered(settings(exact), costs(models));
    scheduler.deviceUp(device('gpu', { inPasses, isUntold: true }));
    const come = (model: string, ids: readonly string[]): void =>
      ids.forEach((id) => scheduler.arrive(buildShard(id, { model }), 0));
    come('heavy', ['h1', 'h2', 'h3']);
    const heavy = [1, 2, 3].map(() => idOf(scheduler.decide(0)));
    expect(heavy.map((one) => one.split(' ')[0])).toEqual(['start', 'start', 'wait']);
    // 200 ms of OR are ahead, and four light ones find their places all the same.
    come('light', ['l1', 'l2', 'l3', 'l4', 'l5']);
    const light = [1, 2, 3, 4, 5].map(() => idOf(scheduler.decide(0)));
    expect(light.slice(0, 4)).toEqual(['start l1', 'start l2', 'start l3', 'start l4']);
    expect(light[4]).toMatch(/^wait/);
    scheduler.leave('l1');
    expect(idOf(scheduler.decide(0))).toBe('start l5');
  });

  test('with three full passes of a model no more of it is started, and that keeps nobody else back', () => {
    // Whatever is predicted, it could start.
    const scheduler = new Staggered(settings({ ...exact, cushionMs: 1e9, mostPasses: 2 }), costs(models));
    scheduler.deviceUp(device('gpu', { inPasses, isUntold: true }));
    for (const id of ['h1', 'h2', 'h3', 'h4']) scheduler.arrive(buildShard(id, { model: 'heavy' }), 0);
    expect([1, 2, 3].map(() => idOf(scheduler.decide(0)))).toEqual(['start h1', 'start h2', 'start h3']);
    expect(idOf(scheduler.decide(0))).toMatch(/^wait/);
    // More than `mostPasses` go before h4, which they don't hold up.
    for (const id of ['l1', 'l2', 'l3', 'l4']) scheduler.arrive(buildShard(id, { model: 'light' }), 0);
    expect([1, 2, 3, 4].map(() => idOf(scheduler.decide(0)))).toEqual(
      ['l1', 'l2', 'l3', 'l4'].map((id) => `start ${id}`),
    );
    scheduler.leave('h1');
    expect(idOf(scheduler.decide(0))).toBe('start h4');
  });
});

describe('late', () => {
  function known(changes: Partial<SchedulerSettings> = {}): Staggered {
    const scheduler = staggered([device('a')], changes);
    scheduler.arrive(buildShard('seen'), 0);
    scheduler.decide(0);
    scheduler.phaseEnded('seen', 'etr', 10);
    scheduler.leave('seen');
    return scheduler;
  }

  test('what can not be done in time is given back, as soon as that is so', () => {
    const scheduler = known({ poolBytes: 1 });
    scheduler.arrive(buildShard('tight', { deadlineMs: 19 }), 0);
    expect(idOf(scheduler.decide(0))).toBe('late tight'); // 10 of ETR and 10 of OR
    scheduler.arrive(buildShard('fits', { deadlineMs: 20 }), 0);
    scheduler.arrive(buildShard('waits', { deadlineMs: 35 }), 0);
    expect(idOf(scheduler.decide(0))).toBe('start fits');
    // Behind it: ETR 10 to 20, OR 20 to 30; 5 ms may pass
    expect(idOf(scheduler.decide(0))).toBe('wait 5');
    expect(idOf(scheduler.decide(5.1))).toBe('late waits');
  });

  test('nothing is late by a prediction from nothing', () => {
    const scheduler = staggered([device('a')]);
    scheduler.arrive(buildShard('new', { deadlineMs: 1 }), 0);
    expect(idOf(scheduler.decide(0))).toBe('start new');
  });

  test('after so many in a row one is tried all the same: a wrong estimate does not last', () => {
    const scheduler = known({ probeEvery: 2 });
    for (const id of ['1', '2', '3', '4']) scheduler.arrive(buildShard(id, { deadlineMs: 15 }), 0);
    const decided = [1, 2, 3, 4].map(() => idOf(scheduler.decide(0)));
    expect(decided).toEqual(['late 1', 'late 2', 'start 3', 'late 4']);
  });

  test('at its deadline at the latest, also without any device', () => {
    const scheduler = staggered([]);
    scheduler.arrive(buildShard('1'), 0);
    expect(idOf(scheduler.decide(0))).toBe('wait 1000');
    expect(idOf(scheduler.decide(1_000))).toBe('late 1');
    expect(idOf(scheduler.decide(1_000))).toBe('wait Infinity');
  });
});

describe('where', () => {
  const devices = [device('slow', { speed: 0.25 }), device('fast')];

  test('on the device that finishes it first; the slow one only before everything else would be done', () => {
    const scheduler = staggered(devices);
    scheduler.arrive(buildShard('1'), 0);
    scheduler.arrive(buildShard('2'), 0);
    expect(scheduler.decide(0)).toMatchObject({ kind: 'start', deviceId: 'fast' });
    // Slow: 80 ms. Behind 1 on the fast one: 30, as soon as ETR is free.
    expect(idOf(scheduler.decide(0))).toBe('wait 10');
    // Both together do one in 1 / (1/10 + 1/40) = 8 ms: of eleven that wait the last in 88.
    for (let more = 3; more <= 12; more += 1) scheduler.arrive(buildShard(`${more}`), 0);
    expect(scheduler.decide(0)).toMatchObject({ kind: 'start', deviceId: 'slow' });
  });

  test('a lost device: its shards wait again at their places', () => {
    const scheduler = staggered(devices);
    scheduler.arrive(buildShard('1'), 0);
    scheduler.decide(0);
    expect(scheduler.deviceLost('fast').map(({ id }) => id)).toEqual(['1']);
    expect(scheduler.decide(5)).toMatchObject({ kind: 'start', deviceId: 'slow', shard: { id: '1' } });
    expect(scheduler.figures()).toMatchObject({ waiting: 0, inFlight: 1, poolBytes: 1 });
  });
});

describe('memory', () => {
  test('what has no room waits, and smaller ones go before', () => {
    const scheduler = staggered([device('a')], { poolBytes: 100, cushionMs: 1_000 });
    scheduler.arrive(buildShard('1', { size: 4, poolBytes: 60 }), 0);
    scheduler.arrive(buildShard('2', { size: 4, poolBytes: 60 }), 0);
    scheduler.arrive(buildShard('small', { poolBytes: 40 }), 0);
    expect(idOf(scheduler.decide(0))).toBe('start 1');
    expect(idOf(scheduler.decide(0))).toBe('start small');
    expect(scheduler.decide(0).kind).toBe('wait');
    scheduler.leave('1');
    expect(idOf(scheduler.decide(1))).toBe('start 2');
    expect(scheduler.figures()).toMatchObject({ poolBytes: 100, poolPeakBytes: 100 });
  });

  test('the arena is free again after the copy out, the pool when the shard leaves', () => {
    const small = { cushionMs: 1_000, poolBytes: 2 };
    const scheduler = staggered([device('a', { arenaBytes: 1 })], small);
    for (const id of ['1', '2', '3']) scheduler.arrive(buildShard(id), 0);
    expect(idOf(scheduler.decide(0))).toBe('start 1');
    expect(scheduler.decide(0).kind).toBe('wait');
    scheduler.phaseEnded('1', 'copyOut', 0);
    expect(idOf(scheduler.decide(1))).toBe('start 2');
    scheduler.phaseEnded('2', 'copyOut', 0);
    expect(scheduler.decide(1).kind).toBe('wait');
    scheduler.leave('1');
    expect(idOf(scheduler.decide(2))).toBe('start 3');
    expect(scheduler.figures().arenaPeakBytes).toEqual({ a: 1 });
  });

  test('what fits nowhere is unfit', () => {
    const scheduler = staggered([device('a', { arenaBytes: 5 })], { poolBytes: 10 });
    scheduler.arrive(buildShard('pool', { poolBytes: 11 }), 0);
    scheduler.arrive(buildShard('arena', { arenaBytes: 6 }), 0);
    expect([scheduler.decide(0), scheduler.decide(0)].map(idOf)).toEqual(['unfit pool', 'unfit arena']);
  });
});

test('a shard that leaves while it waits is forgotten', () => {
  const scheduler = staggered([device('a')]);
  scheduler.arrive(buildShard('1'), 0);
  scheduler.leave('1');
  expect(idOf(scheduler.decide(0))).toBe('wait Infinity');
  expect(scheduler.figures()).toMatchObject({ waiting: 0, inFlight: 0, late: 0 });
});
