import { TravelMatrices } from '#lib/travel-matrices';
import type { PlaceId, Seconds, UnixMs } from '#schemas/brands';
import { buildCourier, buildOrder, buildPolicy, buildRound } from '../../../test/support/build-round';
import { openRoundOf } from '../../../test/support/open-round';
import type { OpenRound } from '../join/open-round';
import { decidingThreads, RoundDecider } from './round-decider';

function openRound(candidates: number): OpenRound {
  return openRoundOf({
    round: buildRound({ orders: [buildOrder('a')] }),
    models: [],
    shardCount: 1,
    shardCandidateCounts: [candidates],
    shardOrders: [new Uint8Array([1])],
  });
}

const decider = () => new RoundDecider('no such folder', new TravelMatrices('no such folder'), 150);

test('rounds of up to 5,000 candidates are decided here', async () => {
  const onThrown = jest.fn();
  expect(decider().isLarge(openRound(5_000))).toBe(false);
  const { summary } = await decider().decide(openRound(5_000), false, onThrown);
  expect(summary).toMatchObject({ closedBy: 'deadline', candidates: 5_000, unassigned: 1 });
  expect(onThrown).not.toHaveBeenCalled();
});

// Guards against hundreds of ms on the event loop, in which other rounds come late, for a round with few candidates.
test('a round with idle couriers and demand at many places is decided aside', () => {
  const rule = { maxRideSeconds: 900 as Seconds, minShiftLeftSeconds: 600 as Seconds };
  const couriers = Array.from({ length: 100 }, (_, i) => buildCourier(`k${i}`));
  const isLarge = (places: number, policy = buildPolicy({ prepositioning: rule })) => {
    const demand = Array.from({ length: places }, (_, i) => {
      return { placeId: `p${i}` as PlaceId, point: { x: i, y: 0 }, weight: 1_000 };
    });
    const open = openRound(1);
    const round = buildRound({ couriers, demand, policy });
    return decider().isLarge(openRoundOf({ ...open.parts.manifest, round }));
  };
  // 100 couriers × 141² places: 1,988,100; × 142²: 2,016,400.
  expect([isLarge(141), isLarge(142), isLarge(142, buildPolicy({}))]).toEqual([false, true, false]);
});

test('a large round with which the thread ends is decided without its plans; so is the next one', async () => {
  // Beside the sources there is no compiled thread: it ends when it starts.
  const own = decider();
  const onThrown = jest.fn();
  const [first, second] = await Promise.all([
    own.decide(openRound(5_001), false, onThrown),
    own.decide(openRound(5_002), true, onThrown),
  ]);
  expect(first.summary).toMatchObject({ coverage: 0, assignments: 0, candidates: 5_001 });
  expect(second.summary).toMatchObject({ coverage: 0, assignments: 0, candidates: 5_002 });
  expect(onThrown).toHaveBeenCalledTimes(2);
  await own.stop();
});

test('a large round after the stop starts no thread: it is decided without its plans', async () => {
  const own = decider();
  await own.stop();
  const onThrown = jest.fn();
  const { summary } = await own.decide(openRound(5_001), false, onThrown);
  expect(summary).toMatchObject({ coverage: 0, assignments: 0 });
  expect(onThrown).toHaveBeenCalledWith(new Error('the thread that decides large rounds is stopped'));
});

// Guards against a decision that waits for older ones of its zone until the hand-over has no time left.
test('a claim may wait as long as the hand-over, as it was of late, has its time', () => {
  const now = 1_000_000;
  jest.useFakeTimers({ now });
  try {
    const own = decider();
    const until = (leftMs: number) => {
      const { parts } = openRound(1);
      const round = { ...parts.manifest.round, deadline: (now + leftMs) as UnixMs };
      const until = own.until(openRoundOf({ ...parts.manifest, round }));
      return until === null ? null : until - now;
    };
    // A third of the margin of 150 ms, and half of what is left at most.
    expect([until(1_000), until(60), until(0)]).toEqual([950, 30, null]);
    const round = openRound(1);
    own.handsOver(round);
    jest.setSystemTime(now + 200);
    // 1.5 · 200 ms, of 800 that are left; when it is over, too.
    expect(until(1_000)).toBe(700);
    own.forget(round);
    expect(until(1_000)).toBe(700);
  } finally {
    jest.useRealTimers();
  }
});

test.each([
  [1, 1, 1],
  [2, 1, 1],
  [4, 1, 2],
  [8, 1, 4],
  [12, 2, 4],
  [16, 2, 4],
  [64, 3, 4],
])('%i cores: %i threads for large rounds, decisions that use %i each', (cores, threads, eachUses) =>
  expect(decidingThreads(cores)).toEqual({ threads, eachUses }),
);
