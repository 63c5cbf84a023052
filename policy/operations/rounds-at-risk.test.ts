import type { UnixMs } from '#schemas/brands';
import { DrainRate } from './drain-rate';
import { roundsAtRisk, type Stages } from './rounds-at-risk';

const idle = { backlog: 0, perSecond: null };
const round = (id: string, deadline: number, shards: number) => ({
  id,
  deadline: deadline as UnixMs,
  shards,
});
const risk = (rounds: ReturnType<typeof round>[], stages: Partial<Stages>, now = 0) =>
  roundsAtRisk(rounds, { shards: idle, outcomes: idle, ...stages }, now as UnixMs).map(({ id }) => id);

describe('rounds at risk', () => {
  test('what waits belongs to the newest rounds; each needs what is ahead of it too', () => {
    // 25 shards wait: 20 of c, 5 of b, none of a. At 10/s b needs 0.5 s, c (5 + 20) / 10 = 2.5 s.
    const rounds = [round('a', 100, 10), round('b', 600, 10), round('c', 2_400, 20)];
    expect(risk(rounds, { shards: { backlog: 25, perSecond: 10 } })).toEqual(['c']);
    expect(risk(rounds, { shards: { backlog: 25, perSecond: 12 } })).toEqual([]);
  });

  test('outcomes that nobody joins hold up every round that is open', () => {
    const rounds = [round('a', 1_000, 4), round('b', 9_000, 4)];
    // 8 outcomes at 2/s: 4 s
    expect(risk(rounds, { outcomes: { backlog: 8, perSecond: 2 } })).toEqual(['a']);
  });

  test('workers that stand still put every round at risk that has shards left', () => {
    const rounds = [round('a', 5_000, 4), round('b', 60_000, 4)];
    expect(risk(rounds, { shards: { backlog: 4, perSecond: 0 } })).toEqual(['b']);
  });

  test('a rate that was never seen says nothing against a round', () => {
    expect(risk([round('a', 5_000, 4)], { shards: { backlog: 4, perSecond: null } })).toEqual([]);
  });

  test('a round whose deadline is over without a decision is at risk whatever waits', () => {
    // A quarter of a second is left to the decision's way to us
    expect(risk([round('a', 5_000, 4), round('b', 5_002, 4)], {}, 5_251)).toEqual(['a']);
  });

  test('shards of rounds that are decided already are before those that are known', () => {
    // 98 others and 2 of its own at 10/s: 10 s
    const shards = { backlog: 100, perSecond: 10 };
    expect(risk([round('a', 9_900, 2)], { shards })).toEqual(['a']);
    expect(risk([round('a', 10_100, 2)], { shards })).toEqual([]);
  });
});

describe('the rate at which a queue is emptied', () => {
  test('is unknown until they were busy between two looks; what they do besides can only raise it', () => {
    const rate = new DrainRate();
    rate.saw({ at: 0, backlog: 0, taken: 0 });
    // Idle: all that came was taken, 5 in a second, and nobody knows how many they could
    rate.saw({ at: 1_000, backlog: 0, taken: 5 });
    expect(rate.perSecond).toBeNull();
    rate.saw({ at: 2_000, backlog: 9, taken: 6 });
    rate.saw({ at: 3_000, backlog: 9, taken: 10 });
    expect(rate.perSecond).toBe(4);
    rate.saw({ at: 4_000, backlog: 0, taken: 30 });
    expect(rate.perSecond).toBe(20);
    rate.saw({ at: 5_000, backlog: 0, taken: 31 });
    expect(rate.perSecond).toBe(20);
  });

  test('while something waits it follows what is taken, down to a standstill', () => {
    const rate = new DrainRate();
    rate.saw({ at: 0, backlog: 100, taken: 0 });
    rate.saw({ at: 1_000, backlog: 100, taken: 50 });
    expect(rate.perSecond).toBe(50);
    for (let at = 2_000; at <= 31_000; at += 1_000) rate.saw({ at, backlog: 100, taken: 50 });
    // 50 · e^(-30 s / 5 s) = 0.12
    expect(rate.perSecond).toBeCloseTo(50 * Math.exp(-6));
  });

  test('a topic that was made anew begins anew', () => {
    const rate = new DrainRate();
    rate.saw({ at: 0, backlog: 1, taken: 900 });
    rate.saw({ at: 1_000, backlog: 1, taken: 1_000 });
    rate.saw({ at: 2_000, backlog: 1, taken: 10 });
    expect(rate.perSecond).toBe(100);
  });
});
