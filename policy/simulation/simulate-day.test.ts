import type { CourierId, Seconds } from '#schemas/brands';
import type { CommitmentStage, Order } from '#schemas/domain';
import {
  courier,
  decide,
  ids,
  minute,
  order,
  runDay,
  seconds,
  truth,
} from '../../test/support/one-courier-day';

describe('a committed day', () => {
  test('one final bundle: two orders picked up when the later is ready, dropped in sequence', async () => {
    const orders = [order('a', 1, 20, 60), order('b', 2, 24, 180)];
    const { rounds, result } = await runDay({ orders }, (round) => decide(round, ids(round), 'final'));
    // Round 0 has nothing; round 1 (5 min) has both. Leaves at 5 min, rides 300 s, is there at 10 min,
    // waits for 24 min; leaves 26; home-a at 27, drop-off 29; leaves 31; home-b at 33, drop-off 35.
    expect(rounds.map((round) => round.asOf)).toEqual([300]);
    expect(result.bundles).toEqual([{ courierId: 'c', assignedAt: 300, orderIds: ['a', 'b'] }]);
    expect(result.deliveries).toEqual([
      { orderId: 'a', courierId: 'c', pickedUpAt: 1440, droppedOffAt: 29 * 60 },
      { orderId: 'b', courierId: 'c', pickedUpAt: 1440, droppedOffAt: 35 * 60 },
    ]);
    expect(result.legs).toEqual([
      { courierId: 'c', departAt: 300, from: 'c', to: 'R' },
      { courierId: 'c', departAt: 1560, from: 'R', to: 'home-a' },
      { courierId: 'c', departAt: 1860, from: 'home-a', to: 'home-b' },
    ]);
  });

  test('a courier whose shift ends before the meal is ready gives it back', async () => {
    const orders = [{ ...order('a', 0, 4, 60), known: { ready: false, pickupWait: true, handover: true } }];
    const other = { ...courier, courierId: 'd' as CourierId, onAt: minute(14) };
    const couriers = [{ ...courier, offAt: minute(12) }, other];
    const late = { ...truth, readyAt: () => minute(13) };
    const { rounds, result } = await runDay({ orders, couriers, truth: late }, (round) =>
      decide(round, round.couriers.length > 0 ? ids(round) : [], 'final'),
    );
    // Given to c at 0, which waits at R until 720; open again at 900, when d, free there, rides 300 s: 1200 + 120.
    expect(rounds.map((round) => [round.asOf, ids(round)])).toEqual([
      [0, ['a']],
      [900, ['a']],
    ]);
    expect(result.bundles).toEqual([{ courierId: 'd', assignedAt: 900, orderIds: ['a'] }]);
    expect(result.deliveries).toMatchObject([{ courierId: 'd', pickedUpAt: 1320 }]);
  });

  test('a busy courier is offered free at the end of its plan, and the next bundle follows it', async () => {
    const orders = [order('a', 0, 0, 60), order('b', 4, 4, 0)];
    const { rounds, result } = await runDay({ orders }, (round) =>
      decide(round, ids(round).slice(0, 1), 'final'),
    );
    // a: leaves 0, there at 300 s, picked up at 420, leaves 540; home at 600, dropped 720, free 840 at 60.
    expect(rounds[1]!.couriers[0]).toMatchObject({ availableAt: 840, position: { x: 60 }, held: [] });
    // b: leaves 840, there at 900, picked up at 1020.
    expect(result.deliveries[1]).toMatchObject({ orderId: 'b', pickedUpAt: 1020 });
  });

  test('partial: the courier drives there and its orders stay open; tentative: nothing happens', async () => {
    const orders = [order('a', 0, 30, 60)];
    const stages: CommitmentStage[] = ['tentative', 'partial', 'final'];
    const { rounds, result } = await runDay({ orders }, (round) =>
      decide(round, ['a'], stages[round.asOf / 300]!),
    );
    expect(rounds.map((round) => round.orders[0]!.timesDeferred)).toEqual([0, 1, 2]);
    // Round 2 (10 min): sent at 5 min, it arrives just now, 300 m on.
    expect(rounds[2]!.couriers[0]).toMatchObject({ availableAt: 600, position: { x: 0 } });
    expect(result.legs[0]).toEqual({ courierId: 'c', departAt: 300, from: 'c', to: 'R' });
    expect(result.bundles[0]!.assignedAt).toBe(600);
    expect(result.deliveries[0]!.pickedUpAt).toBe(1800);
  });

  test('what nobody takes stays undelivered, after the last round that is allowed', async () => {
    const orders = [order('a', 0, 0, 60)];
    const { rounds, result } = await runDay({ orders }, (round) => decide(round, [], 'final'));
    expect(rounds).toHaveLength(7); // at 0 and six more
    expect(result.undelivered).toEqual(['a']);
  });

  test('orders ready beyond the horizon are not offered yet', async () => {
    const orders = [order('a', 0, 30, 60)];
    const { rounds } = await runDay({ orders, offerHorizonSeconds: minute(15) }, (r) =>
      decide(r, ids(r), 'final'),
    );
    expect(rounds.map((round) => round.asOf)).toEqual([900]); // 30 min ≤ asOf + 15 min
  });

  test('a courier is offered before its shift where the day looks ahead, and not after its end', async () => {
    const late = { ...courier, onAt: minute(10), offAt: minute(12) };
    const orders = [order('a', 0, 60, 60)];
    const seen = async (shiftLookaheadSeconds: Seconds) => {
      const changes = { orders, couriers: [late], shiftLookaheadSeconds, maxRoundsAfterLastOrder: 3 };
      const { rounds } = await runDay(changes, (round) => decide(round, [], 'final'));
      return rounds.map((round) => round.couriers.map((c) => c.availableAt));
    };
    expect(await seen(seconds(0))).toEqual([[], [], [600], []]); // 15 min is after 12
    expect(await seen(minute(5))).toEqual([[], [600], [600], []]);
  });
});

describe('late changes: the pickup binds', () => {
  const unknown = { ready: false, pickupWait: true, handover: true };
  const readyAt = { a: minute(13), b: minute(8) };
  const late = {
    lateChanges: true,
    truth: { ...truth, readyAt: (o: Order) => readyAt[o.orderId as 'a' | 'b'] },
  };

  test('a courier that waits picks up when the meal is ready, between rounds', async () => {
    const orders = [{ ...order('a', 0, 4, 60), known: unknown }];
    const { rounds, result } = await runDay({ ...late, orders }, (round) =>
      decide(round, ids(round), 'final'),
    );
    // Expected at 4 min, so each decision is final; there at 300 s, the meal is ready at 780 only.
    expect(rounds.map((round) => [round.asOf, ids(round)])).toEqual([
      [0, ['a']],
      [300, ['a']],
      [600, ['a']],
    ]);
    expect(rounds[2]!.couriers[0]).toMatchObject({ availableAt: 600, position: { x: 0 } });
    expect(result.bundles).toEqual([{ courierId: 'c', assignedAt: 780, orderIds: ['a'] }]);
    // Leaves 900, home-a 60 s on.
    expect(result.deliveries).toMatchObject([{ pickedUpAt: 780, droppedOffAt: 1080 }]);
  });

  test('until then the next decision may give it another order of the restaurant', async () => {
    const orders = [order('a', 0, 4, 60), order('b', 1, 6, 60)].map((o) => ({ ...o, known: unknown }));
    const { rounds, result } = await runDay({ ...late, orders }, (round) =>
      decide(round, ids(round).slice(-1), 'final'),
    );
    // At 300 s b takes the place of a: ready at 480, dropped at 480 + 120 + 60 + 120 = 780, free at 900.
    expect(rounds.map((round) => ids(round)).slice(0, 3)).toEqual([['a'], ['a', 'b'], ['a']]);
    expect(result.deliveries[0]).toMatchObject({ orderId: 'b', pickedUpAt: 480, droppedOffAt: 780 });
    // At 600 a is told, the courier free at 900 in 60 m: not before the next round, so bound as ever; there 960.
    expect(result.deliveries[1]).toMatchObject({ orderId: 'a', pickedUpAt: 1080 });
  });

  test('no pickup behind the end of the shift', async () => {
    const orders = [{ ...order('a', 0, 4, 60), known: unknown }];
    const couriers = [{ ...courier, offAt: minute(12) }];
    const { result } = await runDay({ ...late, orders, couriers }, (round) =>
      decide(round, round.couriers.length > 0 ? ids(round) : [], 'final'),
    );
    expect(result.undelivered).toEqual(['a']);
  });
});

test('what has happened is told when the time of the next round has come', async () => {
  const orders = [order('a', 0, 0, 60), order('b', 9, 9, 60)];
  const { told } = await runDay({ orders }, (round) => decide(round, ids(round).slice(0, 1), 'final'));
  // a: picked up at 420, dropped off at 720; before the round at 600 only the first is past. The round at 600
  // gives b to the courier, free at 840 at 60 m: there at 900, picked up 1020, leaves 1140, dropped 1320:
  // told at 600, 900, 1200 and 1500.
  expect(told).toEqual([
    ['420 picked_up a'],
    ['720 dropped_off a'],
    ['1020 picked_up b'],
    ['1320 dropped_off b'],
  ]);
});

describe('a day of couriers that hold orders', () => {
  test('held stops come back, on board or not, beyond the stop that the courier is on the way to', async () => {
    const orders = [order('a', 0, 0, 600), order('b', 6, 6, 60)];
    const { rounds } = await runDay({ orders, couriersAre: 'held' }, (round) =>
      decide(round, round.asOf === 0 ? ['a'] : [], 'final'),
    );
    // At 0: rides to R (there at 300 s), picked up 420, leaves 540. At 300 it is at R: a counts as on board.
    expect(rounds[1]!.couriers[0]).toMatchObject({
      availableAt: 540,
      position: { x: 0 },
      held: [{ orderId: 'a', onBoard: true }],
    });
    expect(ids(rounds[1]!)).toEqual(['a']);
    // At 600 it is on the way to home-a (540 + 600 = 1140, dropped 1260, leaves 1380): it can't be diverted.
    expect(rounds[2]!.couriers[0]).toMatchObject({ availableAt: 1380, position: { x: 600 }, held: [] });
    expect(ids(rounds[2]!)).toEqual(['b']);
  });

  test('true times differ from the plan; the dispatcher sees its own estimate until the stop is left', async () => {
    const slow = { ...truth, pickupPostSeconds: () => seconds(900) };
    const orders = [{ ...order('a', 0, 0, 600), known: { ready: true, pickupWait: false, handover: false } }];
    const { rounds, result } = await runDay({ orders, couriersAre: 'held', truth: slow }, (round) =>
      decide(round, round.asOf === 0 ? ['a'] : [], 'final'),
    );
    // Planned to leave R at 540; really at 420 + 900 = 1320. At 600 and 900 it should have left long ago: now.
    expect(rounds.slice(1, 4).map((round) => round.couriers[0]!.availableAt)).toEqual([540, 600, 900]);
    expect(result.deliveries[0]!.droppedOffAt).toBe(1320 + 600 + 120);
  });

  test('a meal that is ready is known to be; until then the estimate stands', async () => {
    const late = { ...truth, readyAt: () => minute(9) };
    const orders = [{ ...order('a', 0, 5, 60), known: { ready: false, pickupWait: true, handover: true } }];
    const { rounds } = await runDay({ orders, truth: late, maxRoundsAfterLastOrder: 2 }, (round) =>
      decide(round, [], 'final'),
    );
    const seen = rounds.map((round) => [round.orders[0]!.readyAt, round.orders[0]!.known.ready]);
    expect(seen).toEqual([
      [300, false],
      [300, false],
      [540, true], // 10 min ≥ 9 min
    ]);
    expect(rounds[0]!.orders[0]!.features.merchantOpenOrders).toBe(1);
  });
});
