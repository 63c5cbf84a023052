import type { OrderId, Seconds } from '#schemas/brands';
import type { DispatchRound, NamedTensor, Shard } from '#schemas/domain';
import {
  decodeOrderTimes,
  decodePlans,
  decodeTravelMatrix,
  encodeTravelMatrix,
  orderIndices,
  roundGeometry,
  stopsOfCandidate,
  travelTime,
  unpackStops,
  walkPlan,
  type TravelMatrix,
} from '#policy/routing/index';
import { cutRound } from '#policy/sharding/index';
import { Param } from '#schemas/tensors';
import { bruteCostShard } from '../../test/support/brute-cost-shard';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import { RoutePlanner } from './route-planner';

const seconds = (value: number) => value as Seconds;
const models = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];
const planner = new RoutePlanner();

/** Few restaurants, so that pickups merge; couriers that hold orders; tight limits for some. */
function randomRound(seed: number, policy: Parameters<typeof buildPolicy>[0] = {}): DispatchRound {
  let state = seed;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  const service = () => ({
    preServiceSeconds: seconds(random(3) * 60),
    postServiceSeconds: seconds(random(3) * 60),
    travelZone: random(4),
  });
  const restaurants = [0, 1, 2].map((i) => buildStop(`r${i}`, random(3_000), random(3_000)));
  const orders = Array.from({ length: 14 }, (_, i) =>
    buildOrder(`o${i}`, {
      pickup: { ...restaurants[random(3)]!, ...service() },
      dropoff: buildStop(`h${i}`, random(3_000), random(3_000), service()),
      readyAt: seconds(1_000 + random(900)),
      promisedAt: seconds(1_500 + random(1_800)),
      latestDropoffAt: random(3) === 0 ? seconds(2_500 + random(1_500)) : null,
      size: random(3),
    }),
  );
  const couriers = Array.from({ length: 4 }, (_, i) =>
    buildCourier(`k${i}`, {
      position: { x: random(3_000), y: random(3_000) },
      travelZone: random(4),
      vehicle: (['walk', 'bike', 'scooter', 'car'] as const)[random(4)]!,
      capacity: 2 + random(4),
      availableAt: seconds(900 + random(600)),
      shiftEndsAt: seconds(random(2) === 0 ? 4_000 + random(3_000) : 86_400),
      held: orders
        .slice(3 * i, 3 * i + random(4))
        .map(({ orderId }) => ({ orderId: orderId as OrderId, onBoard: random(2) === 0 })),
    }),
  );
  return buildRound({ asOf: seconds(1_000), couriers, orders, policy: buildPolicy(policy) });
}

/** Every plan walked again by the TypeScript walk, from its stops and the times that came back. */
function checkPlans(round: DispatchRound, shard: Shard, matrix?: TravelMatrix): number {
  const { plans, orderTimes } = planner.costShard(shard.tensors, matrix);
  const geometry = roundGeometry(round);
  const indexOf = orderIndices(round);
  const decoded = decodePlans(plans);
  for (const plan of decoded.filter(({ feasible }) => feasible)) {
    const stops = stopsOfCandidate(round, geometry, indexOf, plan.courier, plan.orders);
    const walked = walkPlan({
      round,
      geometry,
      travel: travelTime(round, geometry, undefined, matrix),
      times: decodeOrderTimes(orderTimes),
      courier: plan.courier,
      stops,
      sequence: unpackStops(plan.packedStops, stops.length),
    });
    expect({ cost: walked.cost, feasible: walked.feasible }).toEqual({ cost: plan.cost, feasible: true });
  }
  return decoded.length;
}

/** Feasibility, cost and stops of every plan, without what an infeasible one has in its other fields. */
function answers(plans: Uint8Array) {
  return decodePlans(plans).map(({ courier, orders, feasible, cost, packedStops }) =>
    feasible ? { courier, orders, cost, packedStops } : { courier, orders, feasible },
  );
}

describe('a shard of known times', () => {
  const policies = [
    {},
    { interleave: false },
    { mergePickups: false, weights: { lateness: 0, duration: 1, freshness: 0 } },
    { interleave: false, weights: { lateness: 3, duration: 0, freshness: 2 } },
  ];

  test.each(policies.map((policy, i) => [i, policy] as const))(
    'is costed as the walk has it, policy %i',
    (_, policy) => {
      let walked = 0;
      for (let seed = 1; seed <= 25; seed += 1) {
        const round = randomRound(seed, policy);
        for (const shard of cutRound(round, models).shards) walked += checkPlans(round, shard);
      }
      expect(walked).toBeGreaterThan(500);
    },
  );

  test.each(policies.map((policy, i) => [i, policy] as const))(
    'has the plans of plain search, policy %i',
    (_, policy) => {
      for (let seed = 101; seed <= 104; seed += 1) {
        for (const shard of cutRound(randomRound(seed, policy), models).shards) {
          expect(answers(planner.costShard(shard.tensors).plans)).toEqual(
            answers(bruteCostShard(shard).plans),
          );
        }
      }
    },
  );

  test('has the same bytes off the thread', async () => {
    const [shard] = cutRound(randomRound(1), models).shards;
    expect(await planner.costShardAsync(shard!.tensors)).toEqual(planner.costShard(shard!.tensors));
  });

  test('travels by a matrix, and by no other', () => {
    const slow = [0, 100, 333, 90, 70, 0, 5, 800, 1, 10_000, 0, 60, 59, 61, 119, 0];
    const fast = slow.map((time) => Math.floor(time / 3));
    const matrix = decodeTravelMatrix(encodeTravelMatrix(4, [slow, fast], [0, 0, 1, 1]));
    const travel = {
      kind: 'matrix',
      contentHash: matrix.contentHash,
      quantumSeconds: seconds(60),
      known: true,
    } as const;
    for (let seed = 1; seed <= 5; seed += 1) {
      const round = randomRound(seed, { travel });
      for (const shard of cutRound(round, models, { matrix }).shards) checkPlans(round, shard, matrix);
    }
    const [shard] = cutRound(randomRound(1, { travel }), models, { matrix }).shards;
    const refused = { code: 'TRAVEL_MATRIX_UNKNOWN', message: `no travel matrix ${matrix.contentHash}` };
    expect(() => planner.costShard(shard!.tensors)).toThrow(expect.objectContaining(refused));
    const onFoot = { ...matrix, secondsByVehicle: [undefined, undefined, undefined, undefined] };
    expect(() => planner.costShard(shard!.tensors, onFoot)).toThrow(/has no layer in the travel matrix/);
    const other = { ...matrix, contentHash: 'f'.repeat(64) };
    expect(() => planner.costShard(shard!.tensors, other)).toThrow(expect.objectContaining(refused));
  });
});

describe('a shard that is refused', () => {
  const [shard] = cutRound(randomRound(1), models).shards;
  const changed = (name: string, change: (tensor: NamedTensor) => NamedTensor | NamedTensor[]) =>
    shard!.tensors.flatMap((tensor) => (tensor.name === name ? change(tensor) : tensor));
  const withValue = (name: string, bytes: number, at: number, value: bigint) =>
    changed(name, (tensor) => {
      const data = Buffer.from(tensor.data);
      if (bytes === 8) data.writeBigInt64LE(value, 8 * at);
      else data.writeInt32LE(Number(value), 4 * at);
      return { ...tensor, data };
    });

  test.each<[string, readonly NamedTensor[], string]>([
    ['a missing tensor', changed('held', () => []), 'tensor held stands there 0 times'],
    ['a tensor twice', changed('held', (tensor) => [tensor, tensor]), 'tensor held stands there 2 times'],
    [
      'another datatype',
      changed('held', (tensor) => ({ ...tensor, datatype: 'FP32' })),
      'tensor held: datatype FP32 is not INT32',
    ],
    [
      'half a value',
      changed('orders', (tensor) => ({ ...tensor, data: tensor.data.subarray(1) })),
      'orders: ',
    ],
    [
      'no params',
      changed('params', (tensor) => ({ ...tensor, data: new Uint8Array(0) })),
      'params: 0 bytes are too few',
    ],
    ['another ABI', withValue('params', 8, Param.abi, 9n), 'params row 0, column abi: 9 is not 1'],
    [
      'an extreme weight',
      withValue('params', 8, Param.weightLateness, 2n ** 63n - 1n),
      'column weightLateness: 9223372036854775807',
    ],
    [
      'a place that is no row',
      withValue('orders', 4, 1, 1000n),
      'orders row 0, column pickupPlace: 1000 is no row of places',
    ],
    [
      'travel to be predicted',
      withValue('params', 8, Param.travelKnown, 0n),
      'only the engine can cost this shard',
    ],
    [
      'a time to be predicted',
      withValue('orders', 4, 7, 6n),
      'orders row 0, column flags: 6 has times to be predicted',
    ],
  ])('%s', async (_, tensors, message) => {
    const refusal = expect.objectContaining({
      code: 'PAYLOAD_INVALID',
      message: expect.stringContaining(message) as string,
    }) as Error;
    expect(() => planner.costShard(tensors)).toThrow(refusal);
    await expect((async () => planner.costShardAsync(tensors))()).rejects.toThrow(refusal);
  });
});

describe('route problems', () => {
  const problem = {
    orders: [{ ready: 0, promised: 0, latestDropoff: null, size: 1, onBoard: true }],
    stops: [{ kind: 'dropoff', group: 'held', orders: [0], preService: 0, postService: 0 }],
    travel: [
      [0, 2_147_483_647],
      [0, 0],
    ],
    weights: { lateness: 2n ** 29n, duration: 2n ** 29n, freshness: 0 },
    startAt: 0,
    capacity: 1,
    latestPickup: null,
    interleave: true,
  } as const;

  test('costs beyond 2^53 are exact', () => {
    // late = duration = 2^31 − 1; 2 · 2^29 · (2^31 − 1) = 2^61 − 2^30.
    expect(planner.solveProblems([problem])).toEqual([
      { feasible: true, unproven: false, cost: 2n ** 61n - 2n ** 30n, stops: [1], nodes: 1n },
    ]);
  });

  test('a limit makes a problem infeasible', () => {
    const late = { ...problem, orders: [{ ...problem.orders[0], latestDropoff: 2_147_483_646 }] };
    expect(planner.solveProblems([late])[0]).toMatchObject({ feasible: false, stops: [] });
  });

  test('a refused problem is named, as a value or thrown', async () => {
    const bad = { ...problem, stops: [{ ...problem.stops[0], preService: -1 }] };
    expect((await planner.trySolveProblems([problem, bad]))[1]).toEqual({ refused: 'has a service below 0' });
    expect(() => planner.solveProblems([problem, bad])).toThrow('problem 1 has a service below 0');
  });

  test('counts above the limits and a matrix of another size are named', () => {
    const stops = Array.from({ length: 17 }, () => problem.stops[0]);
    expect(() => planner.solveProblems([{ ...problem, stops }])).toThrow('problem 0 has 17 stops, limit 16');
    const orders = Array.from({ length: 9 }, () => problem.orders[0]);
    expect(() => planner.solveProblems([{ ...problem, orders }])).toThrow('problem 0 has 9 orders, limit 8');
    expect(() => planner.solveProblems([{ ...problem, travel: [[0]] }])).toThrow(
      'problem 0: travel is not 2 × 2',
    );
  });
});
