import type { CourierId, OrderId, PlaceId, Seconds } from '#schemas/brands';
import type { Courier, DispatchRound, Order, PlannedStop } from '#schemas/domain';
import { commitmentStage, partialMove } from './commitment-stage';

const asOf = 1000;
const f = 300;
const o1 = 'o1' as OrderId;
const o2 = 'o2' as OrderId;
const held = 'h' as OrderId;

function order(orderId: OrderId, readyAt: number, known = true) {
  return {
    orderId,
    readyAt,
    known: { ready: known },
    pickup: { preServiceSeconds: 120 },
  } as unknown as Order;
}
function roundOf(orders: Order[], horizon: number | null = f): DispatchRound {
  return { asOf, orders, policy: { commitHorizonSeconds: horizon } } as unknown as DispatchRound;
}
const courier = { courierId: 'c' as CourierId, availableAt: 1000 } as unknown as Courier;
const busyUntil = (t: number) => ({ ...courier, availableAt: t as Seconds });

function stop(kind: 'pickup' | 'dropoff', ids: OrderId[], arrive: number, served: number): PlannedStop {
  const times = {
    arriveAt: arrive as Seconds,
    servedAt: served as Seconds,
    departAt: (served + 120) as Seconds,
  };
  return { kind, orderIds: ids, placeId: `${kind}-${ids[0]}` as PlaceId, ...times };
}

describe('commitmentStage', () => {
  test('final: arrives at 1300 = asOf + f, ready at 1420 = 120 s of walk-in later', () => {
    const stops = [stop('pickup', [o1], 1300, 1420), stop('dropoff', [o1], 1800, 1920)];
    expect(commitmentStage(stops, roundOf([order(o1, 1420)]), courier, [o1])).toBe('final');
  });

  test('partial: arrival at 1301 is one second beyond asOf + f, the courier is free now', () => {
    const stops = [stop('pickup', [o1], 1301, 1421)];
    expect(commitmentStage(stops, roundOf([order(o1, 900)]), courier, [o1])).toBe('partial');
  });

  test('partial: one of two orders is ready at 1421', () => {
    const stops = [stop('pickup', [o1, o2], 1100, 1421)];
    const round = roundOf([order(o1, 900), order(o2, 1421)]);
    expect(commitmentStage(stops, round, courier, [o1, o2])).toBe('partial');
    expect(commitmentStage(stops, round, courier, [o1])).toBe('final');
  });

  test('tentative: the courier is free at 1300 only, when the next round is; partial at 1299', () => {
    const stops = [stop('pickup', [o1], 1500, 1620)];
    const round = roundOf([order(o1, 900)]);
    expect(commitmentStage(stops, round, busyUntil(1300), [o1])).toBe('tentative');
    expect(commitmentStage(stops, round, busyUntil(1299), [o1])).toBe('partial');
  });

  test('held stops come first: free for the new pickup when it leaves the held drop-off (1179 + 120 = 1299)', () => {
    const round = roundOf([order(o1, 900)]);
    const onTime = [stop('dropoff', [held], 1059, 1179), stop('pickup', [o1], 1399, 1519)];
    expect(commitmentStage(onTime, round, courier, [o1])).toBe('partial');
    const later = [stop('dropoff', [held], 1060, 1180), stop('pickup', [o1], 1400, 1520)];
    expect(commitmentStage(later, round, courier, [o1])).toBe('tentative');
  });

  test('a predicted ready time shows in the pickup: served at 1420 is f and the walk-in, at 1421 after a wait is not', () => {
    const round = roundOf([order(o1, 900, false)]);
    expect(commitmentStage([stop('pickup', [o1], 1100, 1420)], round, courier, [o1])).toBe('final');
    expect(commitmentStage([stop('pickup', [o1], 1100, 1421)], round, courier, [o1])).toBe('partial');
    // arrival 1290 + 120 pre-service = 1410: no wait, so it was ready in time
    expect(commitmentStage([stop('pickup', [o1], 1290, 1410)], round, courier, [o1])).toBe('final');
  });

  test('no horizon or no new orders: final', () => {
    const stops = [stop('pickup', [o1], 9000, 9120)];
    expect(commitmentStage(stops, roundOf([order(o1, 9000)], null), courier, [o1])).toBe('final');
    expect(commitmentStage([stop('dropoff', [held], 9000, 9120)], roundOf([]), courier, [])).toBe('final');
  });
});

describe('partialMove', () => {
  test('drives to the first new pickup, not before asOf', () => {
    const stops = [stop('dropoff', [held], 1060, 1180), stop('pickup', [o1], 1400, 1520)];
    const round = roundOf([order(o1, 900)]);
    expect(partialMove(stops, round, courier, [o1])).toEqual({
      courierId: 'c',
      placeId: 'pickup-o1',
      departAt: 1300,
    });
    const early = { ...courier, availableAt: 400 as Seconds };
    expect(partialMove([stop('pickup', [o1], 1400, 1520)], round, early, [o1])?.departAt).toBe(1000);
    expect(partialMove([], round, courier, [o1])).toBeNull();
  });
});
