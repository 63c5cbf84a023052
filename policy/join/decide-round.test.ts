import type { CourierId, OrderId, PlaceId, Seconds } from '#schemas/brands';
import type { ShardOutcome } from '#schemas/domain';
import { decisionContentHash } from '#schemas/codec';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import { models, solved, twoEnds } from '../../test/support/solved-round';
import { decideRound, workBudgetOf } from './decide-round';

const seconds = (value: number) => value as Seconds;
const orderIds = (...ids: string[]) => ids as OrderId[];

function reasonsOf(content: ReturnType<typeof decideRound>): Record<string, string> {
  return Object.fromEntries(content.unassigned.map(({ orderId, reason }) => [orderId, reason]));
}

const failed = (outcome: ShardOutcome, errorCode: string): ShardOutcome => ({
  ...outcome,
  status: 'failed',
  errorCode,
  plans: new Uint8Array(0),
  orderTimes: new Uint8Array(0),
  rideFactors: new Uint8Array(0),
});

describe('a complete round', () => {
  test('each courier takes the order at its end; times come from the walk', () => {
    const { manifest, outcomes } = solved(twoEnds());
    const content = decideRound(manifest, outcomes, 'complete');
    expect(content.assignments.map(({ courierId, orderIds: ids }) => [courierId, ids])).toEqual([
      ['k-west', ['o-west']],
      ['k-east', ['o-east']],
    ]);
    // On foot 1 m/s: pickup at 0 s, drop-off 300 m on at 300 s; cost 1·300 duration + 10·300 freshness.
    const [west] = content.assignments;
    expect(west!.stops.map(({ kind, servedAt }) => [kind, servedAt])).toEqual([
      ['pickup', 0],
      ['dropoff', 300],
    ]);
    expect(west!.cost).toBe(3_300n);
    expect(west!.stage).toBe('final');
    expect(content).toMatchObject({ unassigned: [], moves: [], coverage: 1, closedBy: 'complete' });
    expect(content.assignmentGap).toBe(0n);
    expect(content.models).toEqual(models);
  });

  test('equal arguments give equal bytes', () => {
    const { manifest, outcomes } = solved(twoEnds(), 1);
    const turned = new Map([...outcomes].reverse());
    const hash = decisionContentHash(decideRound(manifest, outcomes, 'complete'));
    expect(decisionContentHash(decideRound(manifest, turned, 'complete'))).toBe(hash);
  });

  test('no couriers and no orders are valid rounds', () => {
    const noCouriers = solved(twoEnds({ couriers: [] }));
    expect(reasonsOf(decideRound(noCouriers.manifest, noCouriers.outcomes, 'complete'))).toEqual({
      'o-west': 'no_feasible_courier',
      'o-east': 'no_feasible_courier',
    });
    const noOrders = solved(twoEnds({ orders: [] }));
    const content = decideRound(noOrders.manifest, noOrders.outcomes, 'complete');
    expect(content).toMatchObject({ assignments: [], unassigned: [], coverage: 1, candidatesTotal: 0 });
  });
});

describe('held orders', () => {
  const held = buildOrder('held', { dropoff: buildStop('h', 100, 0) });
  const courier = buildCourier('k', { held: [{ orderId: held.orderId, onBoard: true }] });

  test('a courier without a new order has its held stops planned again, at no cost', () => {
    const { manifest, outcomes } = solved(buildRound({ couriers: [courier], orders: [held] }));
    const content = decideRound(manifest, outcomes, 'complete');
    expect(content.assignments).toMatchObject([{ courierId: 'k', orderIds: [], cost: 0n }]);
    expect(content.assignments[0]!.stops.map(({ kind, servedAt }) => [kind, servedAt])).toEqual([
      ['dropoff', 100],
    ]);
    expect(content.unassigned).toEqual([]);
  });

  test('a new order costs what it adds to the held plan', () => {
    // Held drop-off at 100 m; the new one from there, 200 m further. The held plan alone costs
    // 1·100 + 10·100 = 1,100; then pickup at 100 s (place R2 at x = 100), drop-off at 300 s:
    // 300 + 10·(100 + 300) = 4,300, so 3,200 more.
    const fresh = buildOrder('new', { pickup: buildStop('R2', 100, 0), dropoff: buildStop('g', 300, 0) });
    const { manifest, outcomes } = solved(buildRound({ couriers: [courier], orders: [held, fresh] }));
    const content = decideRound(manifest, outcomes, 'complete');
    expect(content.assignments).toMatchObject([{ courierId: 'k', orderIds: ['new'], cost: 3_200n }]);
    expect(content.assignments[0]!.stops).toHaveLength(3);
  });
});

describe('what a courier was told', () => {
  /** Two orders at one place: `a` drops 100 m away, `b` 120 m. */
  const orders = [
    buildOrder('a', { dropoff: buildStop('ha', 100, 0) }),
    buildOrder('b', { dropoff: buildStop('hb', 0, 120) }),
  ];
  const round = (reshuffleCost: number) =>
    buildRound({
      couriers: [buildCourier('k', { tentativeOrderIds: orderIds('b') })],
      orders,
      policy: buildPolicy({
        reshuffleCost,
        bundles: {
          maxOrders: 1,
          maxReadySpreadSeconds: seconds(600),
          maxDropoffSpreadMetres: 1,
          disjoint: true,
        },
      }),
    });
  const given = (reshuffleCost: number) => {
    const { manifest, outcomes } = solved(round(reshuffleCost));
    return decideRound(manifest, outcomes, 'complete').assignments[0]!;
  };

  test('is changed for a gain above the cost of reshuffling only', () => {
    // a costs 11·100 = 1,100 and b 11·120 = 1,320: 220 apart.
    expect(given(219).orderIds).toEqual(['a']);
    expect(given(221).orderIds).toEqual(['b']);
    expect(given(219).cost).toBe(1_100n);
  });
});

describe('penalties', () => {
  test('an order deferred before goes first', () => {
    const orders = [
      buildOrder('fresh'),
      buildOrder('waited', { timesDeferred: 1, dropoff: buildStop('far', 5_000, 0) }),
    ];
    const policy = buildPolicy({
      bundles: {
        maxOrders: 1,
        maxReadySpreadSeconds: seconds(0),
        maxDropoffSpreadMetres: 0,
        disjoint: true,
      },
    });
    const { manifest, outcomes } = solved(buildRound({ couriers: [buildCourier('k')], orders, policy }));
    // waited costs 5,000·11 + lateness 100·(5,000 − 3,600) = 195,000 > 1,100, less the 100,000 of a deferral: still
    // dearer by 93,900. With three deferrals it is cheaper.
    expect(decideRound(manifest, outcomes, 'complete').assignments[0]!.orderIds).toEqual(['fresh']);
    const thrice = { ...orders[1]!, timesDeferred: 3 };
    const again = solved(buildRound({ couriers: [buildCourier('k')], orders: [orders[0]!, thrice], policy }));
    const content = decideRound(again.manifest, again.outcomes, 'complete');
    expect(content.assignments[0]!.orderIds).toEqual(['waited']);
    expect(reasonsOf(content)).toEqual({ fresh: 'cheaper_to_wait' });
  });
});

describe('reasons', () => {
  /** One courier who reaches nobody's restaurant in its shift, so that candidates exist but are infeasible. */
  test('cancelled, no feasible courier, cheaper to wait', () => {
    const round = twoEnds({ cancelledOrderIds: orderIds('o-east') });
    const { manifest, outcomes } = solved(round);
    expect(reasonsOf(decideRound(manifest, outcomes, 'complete'))).toEqual({ 'o-east': 'cancelled' });
    const cheap = solved(
      twoEnds({ policy: buildPolicy({ unassignedPenalty: { base: 10, perDeferral: 0 } }) }),
    );
    expect(reasonsOf(decideRound(cheap.manifest, cheap.outcomes, 'complete'))).toEqual({
      'o-west': 'cheaper_to_wait',
      'o-east': 'cheaper_to_wait',
    });
  });

  test.each([
    ['missing', null, 'shard_late'],
    ['late', 'DEADLINE_EXCEEDED', 'shard_late'],
    ['failed', 'MODEL_FAILED', 'shard_failed'],
    ['failed', 'ENGINE_LOST', 'engine_lost'],
    ['failed', 'SCHEMA_UNKNOWN', 'dead_letter'],
  ])('a shard that is %s (%s) gives %s', (status, errorCode, reason) => {
    const { manifest, outcomes } = solved(twoEnds(), 1);
    for (const [index, outcome] of outcomes) {
      if (status === 'missing') outcomes.delete(index);
      else outcomes.set(index, { ...failed(outcome, errorCode!), status: status as 'late' | 'failed' });
    }
    const content = decideRound(manifest, outcomes, status === 'missing' ? 'deadline' : 'complete');
    expect(reasonsOf(content)).toEqual({ 'o-west': reason, 'o-east': reason });
    expect(content.coverage).toBe(0);
    expect(content.shards.every((shard) => shard.status === status && shard.errorCode === errorCode)).toBe(
      true,
    );
  });

  test('of several lost shards the first reason by precedence counts; what arrived counts before', () => {
    const { manifest, outcomes } = solved(twoEnds(), 1);
    const indices = [...outcomes.keys()];
    expect(indices.length).toBeGreaterThan(2);
    indices.forEach((index, i) =>
      outcomes.set(index, failed(outcomes.get(index)!, i % 2 ? 'ENGINE_LOST' : 'MODEL_FAILED')),
    );
    const reasons = Object.values(reasonsOf(decideRound(manifest, outcomes, 'complete')));
    expect(reasons.every((reason) => reason === 'shard_failed' || reason === 'engine_lost')).toBe(true);
    const deadLetters = new Set(indices);
    const dead = decideRound(manifest, outcomes, 'complete', { deadLetters });
    expect(Object.values(reasonsOf(dead))).toEqual(['dead_letter', 'dead_letter']);
  });

  test('a stale round assigns nothing', () => {
    const { manifest, outcomes } = solved(twoEnds());
    const content = decideRound(manifest, outcomes, 'complete', { stale: true });
    expect(content.assignments).toEqual([]);
    expect(reasonsOf(content)).toEqual({ 'o-west': 'stale', 'o-east': 'stale' });
  });
});

describe('two-stage commitment', () => {
  test('a courier who is free soon but far is sent without orders', () => {
    const courier = buildCourier('k', { position: { x: 1_000, y: 0 } });
    const policy = buildPolicy({ commitHorizonSeconds: seconds(300) });
    const { manifest, outcomes } = solved(
      buildRound({ couriers: [courier], orders: [buildOrder('a')], policy }),
    );
    const content = decideRound(manifest, outcomes, 'complete');
    // 1,000 m at 1 m/s is beyond 300 s, it can set out at once: partial, with the drive as a move.
    expect(content.assignments[0]).toMatchObject({ orderIds: ['a'], stage: 'partial' });
    expect(content.moves).toEqual([
      { courierId: 'k' as CourierId, placeId: 'R' as PlaceId, departAt: seconds(0) },
    ]);
  });
});

test('the work on the assignment grows with the candidates, up to a ceiling', () => {
  expect(workBudgetOf([])).toBe(800_000);
  expect(workBudgetOf([1_500, 500])).toBe(2_200_000); // 800,000 + 700 · 2,000
  expect(workBudgetOf([100_000, 100_000])).toBe(15_000_000); // not 140,800,000
  expect(workBudgetOf([60_000, 40_000], 'reduced')).toBe(2_000_000); // 800,000 + 12 · 100,000
});
