import type { OrderId, Seconds } from '#schemas/brands';
import type { DispatchRound, ModelRef, RoundManifest, Shard } from '#schemas/domain';
import { NO_LIMIT, Param, PlaceColumn } from '#schemas/tensors';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import { readShard, shardBytes } from '../../test/support/read-shard';
import { generateCandidates, planningView } from '../candidates/index';
import { cutRound, planCost, predictedCosts, type CutLimits } from './index';

const seconds = (value: number) => value as Seconds;
const models: ModelRef[] = [
  { name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) },
  { name: 'delivery_time', version: '1', contentHash: 'd'.repeat(64) },
];

/** A seeded city: restaurants in clusters, every third courier holds an order or two. */
function city(seed: number, couriers: number, orders: number, changes: Partial<DispatchRound> = {}) {
  let state = seed;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  const restaurants = Array.from({ length: Math.ceil(orders / 6) }, (_, i) =>
    buildStop(`r${i}`, random(10_000), random(10_000)),
  );
  const allOrders = Array.from({ length: orders }, (_, i) =>
    buildOrder(`o${i}`, {
      pickup: restaurants[random(restaurants.length)]!,
      dropoff: buildStop(`h${i}`, random(10_000), random(10_000)),
      readyAt: seconds(random(1_800)),
    }),
  );
  let next = 0;
  const allCouriers = Array.from({ length: couriers }, (_, i) => {
    const count = i % 3 === 0 ? Math.min(1 + random(2), orders - next - 1) : 0;
    const held = allOrders
      .slice(next, next + count)
      .map(({ orderId }) => ({ orderId, onBoard: random(2) === 0 }));
    next += count;
    return buildCourier(`k${i}`, {
      position: { x: random(10_000), y: random(10_000) },
      vehicle: 'bike',
      held,
    });
  });
  return buildRound({ couriers: allCouriers, orders: allOrders, ...changes });
}

const shardCost = (round: DispatchRound, shard: Shard) => {
  const costOf = predictedCosts(planningView(round));
  return readShard(shard).candidates.reduce((sum, { courier, orders }) => sum + costOf(courier, orders), 0);
};

const key = ({ courier, orders }: { courier: number; orders: readonly number[] }) =>
  `${courier}:${orders.join('+')}`;

function checkEveryCandidateOnce(round: DispatchRound, shards: readonly Shard[]) {
  const expected = generateCandidates(planningView(round)).map(({ courier, bundle }) =>
    key({ courier, orders: bundle }),
  );
  const rows = shards.flatMap((shard) => readShard(shard).candidates);
  const offered = rows.filter(({ orders }) => orders.length > 0).map(key);
  expect(offered.sort()).toEqual(expected.sort());
}

function checkBaseRows(round: DispatchRound, shards: readonly Shard[]) {
  const planned = new Set<number>();
  for (const shard of shards) {
    const { candidates } = readShard(shard);
    for (const courier of new Set(candidates.map((row) => row.courier))) {
      const rows = candidates.filter((row) => row.courier === courier);
      const bases = rows.filter(({ orders }) => orders.length === 0);
      const holds = round.couriers[courier]!.held.length > 0;
      expect(bases.length).toBe(holds ? 1 : 0);
      if (holds) {
        expect(rows[0]!.orders).toEqual([]);
        planned.add(courier);
      }
    }
  }
  const holders = round.couriers.flatMap(({ held }, i) => (held.length > 0 ? [i] : []));
  expect([...planned].sort((a, b) => a - b)).toEqual(holders);
}

function checkManifest({ round, ...manifest }: RoundManifest, shards: readonly Shard[]) {
  expect(manifest.models).toEqual(models);
  expect(manifest.shardCount).toBe(shards.length);
  expect(manifest.shardCandidateCounts).toEqual(shards.map((shard) => readShard(shard).candidates.length));
  shards.forEach((shard, i) => {
    expect(shard).toMatchObject({
      shardIndex: i,
      shardCount: shards.length,
      model: models[0],
      roundId: round.roundId,
    });
    const present = readShard(shard).orders.map((row) => row[0]!);
    const bits = manifest.shardOrders[i]!;
    expect(bits).toHaveLength(Math.ceil(round.orders.length / 8));
    const inBitmap = round.orders.flatMap((_, order) =>
      (bits[order >> 3]! >> (order & 7)) & 1 ? [order] : [],
    );
    expect(inBitmap).toEqual(present.sort((a, b) => a - b));
  });
}

test.each(Array.from({ length: 12 }, (_, i) => i + 1))(
  'random round %i: every candidate once, balanced',
  (seed) => {
    const round = city(seed, 20 + 5 * seed, 40 + 20 * seed);
    const { manifest, shards } = cutRound(round, models, { candidatesPerShard: 150 });
    checkEveryCandidateOnce(round, shards);
    checkBaseRows(round, shards);
    checkManifest(manifest, shards);
    const costs = shards.map((shard) => shardCost(round, shard));
    const mean = costs.reduce((a, b) => a + b, 0) / costs.length;
    expect(Math.max(...costs)).toBeLessThanOrEqual(1.1 * mean);
    expect(cutRound(round, models, { candidatesPerShard: 150 })).toEqual({ manifest, shards });
  },
);

test('a few very dear candidates among cheap ones are still spread evenly', () => {
  // The couriers at one end of the city hold five orders: their plans cost up to 4,000 where others cost 6.
  const round = city(3, 60, 300);
  const couriers = round.couriers.map((courier, i) => ({
    ...courier,
    held:
      i < 30 ? round.orders.slice(5 * i, 5 * i + 5).map(({ orderId }) => ({ orderId, onBoard: false })) : [],
    capacity: 20,
    position: i < 30 ? { x: 0, y: 0 } : courier.position,
  }));
  const dear = { ...round, couriers };
  const { shards } = cutRound(dear, models, { candidatesPerShard: 200 });
  const costs = shards.map((shard) => shardCost(dear, shard));
  checkEveryCandidateOnce(dear, shards);
  expect(shards.length).toBeGreaterThan(3);
  expect(Math.max(...costs)).toBeLessThanOrEqual((1.1 * costs.reduce((a, b) => a + b, 0)) / costs.length);
});

test('where one candidate outweighs a shard there are fewer shards, still even', () => {
  // Courier 0 holds five orders (10 stops and 2 of the bundle: 4,000), the others none: 6 or 3.5 at most.
  const round = city(4, 40, 120);
  const held = round.orders.slice(0, 5).map(({ orderId }) => ({ orderId, onBoard: false }));
  const couriers = round.couriers.map((courier, i) => ({
    ...courier,
    held: i === 0 ? held : [],
    capacity: 20,
  }));
  const dear = { ...round, couriers, policy: buildPolicy({ couriersPerBundle: 40 }) };
  const { shards, manifest } = cutRound(dear, models, { candidatesPerShard: 100 });
  const costs = shards.map((shard) => shardCost(dear, shard));
  const candidates = manifest.shardCandidateCounts.reduce((a, b) => a + b, 0);
  expect(shards.length).toBeLessThan(Math.round(candidates / 100));
  expect(Math.max(...costs)).toBeLessThanOrEqual((1.1 * costs.reduce((a, b) => a + b, 0)) / costs.length);
  checkEveryCandidateOnce(dear, shards);
});

test('the densified city (2,000 candidates in 4 shards) stays under 100 bytes a candidate', () => {
  const round = city(11, 120, 160, { policy: buildPolicy({ couriersPerBundle: 9 }) });
  const { manifest, shards } = cutRound(round, models);
  const candidates = manifest.shardCandidateCounts.reduce((a, b) => a + b, 0);
  expect(shards.length).toBe(Math.round(candidates / 500));
  const perCandidate = shards.reduce((sum, shard) => sum + shardBytes(shard), 0) / candidates;
  expect(perCandidate).toBeLessThan(60);
});

test('shards stay below the byte limit, whatever the target of candidates', () => {
  const round = city(5, 100, 200);
  const limits: CutLimits = { candidatesPerShard: 100_000, maxShardBytes: 16_384 };
  const { shards } = cutRound(round, models, limits);
  expect(shards.length).toBeGreaterThan(1);
  for (const shard of shards) expect(shardBytes(shard)).toBeLessThanOrEqual(16_384);
  checkEveryCandidateOnce(round, shards);
  expect(() => cutRound(round, models, { maxShardBytes: 1_200 })).toThrow(
    expect.objectContaining({ code: 'ROUND_TOO_LARGE' }),
  );
});

test('a round without couriers, orders or candidates has no shards', () => {
  for (const round of [
    buildRound(),
    buildRound({ orders: [buildOrder('a')] }),
    buildRound({ couriers: [buildCourier('k')] }),
    buildRound({ couriers: [buildCourier('k', { capacity: 0 })], orders: [buildOrder('a')] }),
  ]) {
    const { manifest, shards } = cutRound(round, models);
    expect(shards).toEqual([]);
    expect(manifest).toEqual({ round, models, shardCount: 0, shardCandidateCounts: [], shardOrders: [] });
  }
});

test('a label without the model is an error', () => {
  expect(() => cutRound(buildRound(), [])).toThrow(expect.objectContaining({ code: 'MODEL_UNAVAILABLE' }));
});

test('every column of the tables is where the contract says', () => {
  const stop = (place: string, x: number, pre: number, post: number) =>
    buildStop(place, x, 0, { preServiceSeconds: seconds(pre), postServiceSeconds: seconds(post) });
  const order = buildOrder('a', {
    pickup: stop('R', 10, 1, 2),
    dropoff: stop('H', 20, 3, 4),
    placedAt: seconds(880),
    readyAt: seconds(1_100),
    promisedAt: seconds(1_200),
    latestDropoffAt: seconds(1_300),
    size: 2,
    known: { ready: true, pickupWait: false, handover: true },
    features: {
      merchantMeanPrepMinutes: 1,
      merchantStdPrepMinutes: 2,
      merchantOpenOrders: 3,
      itemCount: 4,
      pickupWaitMeanMinutes: 5,
      handoverMeanMinutes: 6,
      dropoffFloor: 7,
    },
  });
  const courier = buildCourier('k', {
    availableAt: seconds(1_030),
    shiftEndsAt: seconds(9_000),
    vehicle: 'scooter',
    held: [{ orderId: 'b' as OrderId, onBoard: true }],
  });
  const round = buildRound({ asOf: seconds(1_000), couriers: [courier], orders: [order, buildOrder('b')] });
  const { shards } = cutRound(round, models);
  const { params, couriers, held, heldOf, orders, places, features, candidates } = readShard(shards[0]!);
  // ABI 1, asOf, quantum 1, weights, interleave, merge, p50, columns 1 + 1 → at least 2, speed.
  expect(params.slice(0, 11)).toEqual([1n, 1000n, 1n, 100n, 1n, 10n, 1n, 1n, 50n, 2n, 0n]);
  expect(params.slice(Param.metresPerHour, 15)).toEqual([3_600n, 18_000n, 36_000n, 36_000n]);
  expect(params.slice(15)).toEqual([0n, 0n, 0n, 0n, 43_200n, 0n, 0n, 0n, 1n]);
  // Index 0, place 2 (behind those of its held order), start 30, latest pickup 8,000, scooter 2, capacity 4, one held order behind the padding.
  expect(couriers).toEqual([[0, 2, 30, 8_000, 2, 4, 1, 1]]);
  expect(held[0]).toEqual([0, 0]);
  expect(heldOf(couriers[0]!)).toEqual([{ order: 1, onBoard: true }]);
  const row = orders.find(([index]) => index === 0)!;
  expect(row.slice(3)).toEqual([100, 200, 300, 2, 1 | 4, 1, 2, 3, 4, -120]);
  expect(places[row[1]!]).toEqual([10, 0, -1]);
  expect(places[row[2]!]![PlaceColumn.x]).toBe(20);
  expect(orders.find(([index]) => index === 1)![5]).toBe(NO_LIMIT);
  // 120 s since it was placed are 2 minutes.
  expect(features[orders.indexOf(row)]).toEqual([1, 2, 3, 4, 2, 5, 6, 7]);
  expect(candidates).toEqual([
    { courier: 0, orders: [] },
    { courier: 0, orders: [0] },
  ]);
});

test('a matrix round carries the hash in four big-endian words and the zones of its places', () => {
  const contentHash = '0102030405060708' + 'ff'.repeat(8) + '00'.repeat(16);
  const round = buildRound({
    couriers: [buildCourier('k', { travelZone: 1 })],
    orders: [
      buildOrder('a', {
        pickup: buildStop('R', 0, 0, { travelZone: 0 }),
        dropoff: buildStop('H', 0, 0, { travelZone: 1 }),
      }),
    ],
    policy: buildPolicy({
      travel: { kind: 'matrix', contentHash, quantumSeconds: seconds(60), known: true },
    }),
  });
  expect(() => cutRound(round, models)).toThrow(expect.objectContaining({ code: 'TRAVEL_MATRIX_UNKNOWN' }));
  const entries = Int32Array.from([0, 90, 80, 0]);
  const matrix = { contentHash, zones: 2, secondsByVehicle: Array.from({ length: 4 }, () => entries) };
  const { params, places } = readShard(cutRound(round, models, { matrix }).shards[0]!);
  expect(params.slice(Param.travelKind, 19)).toEqual([1n, 0n, 0n, 0n, 0n, 0x0102030405060708n, -1n, 0n, 0n]);
  expect(places.map((place) => place[PlaceColumn.zone])).toEqual([1, 0]); // courier and home are one spot
});

test('a plan costs more with every stop, and the heuristic has its own costs', () => {
  for (let stops = 2; stops <= 12; stops += 1) {
    expect(planCost(Math.ceil(stops / 2), stops)).toBeGreaterThan(planCost(1, stops - 1));
  }
  // Eight orders go to the heuristic, and seven with more than 12 stops: dearer on few stops, bounded on many.
  expect(planCost(8, 9)).toBeGreaterThan(planCost(7, 9));
  expect(planCost(7, 13)).toBeGreaterThan(planCost(7, 11));
  expect(planCost(8, 16)).toBeLessThan(2 * planCost(6, 12));
});
