import { RoutePlanner } from '#native/planner/route-planner';
import type { DispatchRound, NamedTensor, Shard } from '#schemas/domain';
import { OrderColumn, Param, ORDER_COLUMNS } from '#schemas/tensors';
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
} from '../../policy/routing';
import { predictTimes, withKnownTimes } from '../support/predict-times';
import { atBestOf } from '../support/until';
import { BackendHost, int32Of, outputsOf, shippedNetwork, statisticsOf } from './backend-host';
import { changed, withFloat, withInt32, withParam } from './changed-tensors';
import { cityRound, randomOf, shardsOf, type CityShape } from './backend-rounds';

let host: BackendHost;
const planner = new RoutePlanner();

beforeAll(async () => {
  host = await BackendHost.start(['candidate_cost']);
});
afterAll(() => host[Symbol.asyncDispose]());

const costed = async (tensors: readonly NamedTensor[]) =>
  outputsOf(await host.server.infer({ model: 'candidate_cost', inputs: tensors }));

const small: Omit<CityShape, 'seed'> = { couriers: 12, orders: 20, heldPerCourier: 2 };
const knownTravel = (round: DispatchRound) => ({ ...round.policy.travel, known: true }) as const;

/** The round with travel that needs no prediction. */
function withoutRideFactors(shape: CityShape): DispatchRound {
  const round = cityRound(shape);
  return { ...round, policy: { ...round.policy, travel: knownTravel(round) } };
}

describe('known times: the same bytes as the planner without an engine', () => {
  test.each([
    ['interleaved, merged', { interleave: true, mergePickups: true }],
    ['held first', { interleave: false, mergePickups: true }],
    ['one stop an order', { interleave: true, mergePickups: false }],
    ['neither', { interleave: false, mergePickups: false }],
  ])('%s', async (_name, policy) => {
    const round = withoutRideFactors({ seed: 11, ...small, known: true, policy });
    for (const shard of shardsOf(round, 60)) {
      const outputs = await costed(shard.tensors);
      const expected = planner.costShard(shard.tensors);
      expect(Buffer.compare(outputs.plans!, expected.plans)).toBe(0);
      expect(Buffer.compare(outputs.order_times!, expected.orderTimes)).toBe(0);
      expect(int32Of(outputs.ride_factors!)).toEqual([1_000, 1_000, 1_000, 1_000]);
    }
  });
});

describe('unknown times: what a second implementation of docs/etr.md finds', () => {
  test.each(['p50', 'p90'] as const)(
    '%s order times, and the plans that follow from them',
    async (quantile) => {
      const round = withoutRideFactors({ seed: 12, ...small, policy: { quantile } });
      for (const shard of shardsOf(round, 80)) {
        const outputs = await costed(shard.tensors);
        const times = predictTimes(shard, shippedNetwork);
        expect([...decodeOrderTimes(outputs.order_times!).values()]).toEqual(times.orders);
        const expected = planner.costShard(withKnownTimes(shard, times));
        expect(Buffer.compare(outputs.plans!, expected.plans)).toBe(0);
      }
    },
  );

  test('p90 is not below p50, and some of it is above', async () => {
    const timesOf = async (quantile: 'p50' | 'p90') => {
      const shard = shardsOf(withoutRideFactors({ seed: 12, ...small, policy: { quantile } }), 500)[0]!;
      return int32Of((await costed(shard.tensors)).order_times!);
    };
    const [p50, p90] = [await timesOf('p50'), await timesOf('p90')];
    expect(p90.every((value, at) => value >= p50[at]!)).toBe(true);
    expect(p90).not.toEqual(p50);
  });

  test('ride factors, and every cost is that of the walk with them', async () => {
    const round = cityRound({ seed: 13, ...small });
    const [geometry, indexOf] = [roundGeometry(round), orderIndices(round)];
    for (const shard of shardsOf(round, 80)) {
      const outputs = await costed(shard.tensors);
      const factors = int32Of(outputs.ride_factors!);
      expect(factors).toEqual(predictTimes(shard, shippedNetwork).rideFactors);
      expect(factors[3]).toBeGreaterThan(1_000); // cars in traffic of 600 per mille
      const times = decodeOrderTimes(outputs.order_times!);
      const travel = travelTime(round, geometry, factors);
      for (const plan of decodePlans(outputs.plans!)) {
        const stops = stopsOfCandidate(round, geometry, indexOf, plan.courier, plan.orders);
        const sequence = unpackStops(plan.packedStops, stops.length);
        const walked = walkPlan({ round, geometry, travel, times, courier: plan.courier, stops, sequence });
        expect(walked).toMatchObject({ cost: plan.cost, feasible: plan.feasible });
      }
    }
  });
});

test('a matrix of the repository is used by its hash; another hash is TRAVEL_MATRIX_UNKNOWN', async () => {
  const random = randomOf(5);
  const entries = Array.from({ length: 81 }, (_, i) => (i % 10 === 0 ? 0 : 60 + Math.floor(900 * random())));
  const file = encodeTravelMatrix(9, [entries]);
  const matrix = decodeTravelMatrix(file);
  const roundOf = (known: boolean) =>
    cityRound({
      seed: 14,
      ...small,
      zones: 9,
      known,
      policy: {
        travel: { kind: 'matrix', contentHash: matrix.contentHash, quantumSeconds: 60 as never, known: true },
      },
    });
  const shard = shardsOf(roundOf(true), 500, matrix)[0]!;
  const unknown = costed(shard.tensors);
  await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(unknown).rejects.toThrow(
    `TRAVEL_MATRIX_UNKNOWN: the model repository has no travel matrix ${matrix.contentHash}`,
  );
  expect(host.addTravelMatrix(file)).toBe(matrix.contentHash);
  const expected = planner.costShard(shard.tensors, matrix);
  expect(Buffer.compare((await costed(shard.tensors)).plans!, expected.plans)).toBe(0);
});

const badOrder = (shard: Shard) => withInt32(shard, 'orders', 2 * ORDER_COLUMNS + OrderColumn.size, -1);

describe('bad tensors are named', () => {
  const shard = shardsOf(cityRound({ seed: 15, ...small }), 500)[0]!;
  const bytesOf = (name: string) => shard.tensors.find((tensor) => tensor.name === name)!.data.length;
  test.each<[string, NamedTensor[], string | RegExp]>([
    ['a value out of range', badOrder(shard), 'PAYLOAD_INVALID: orders row 2, column size: -1 is below 0'],
    [
      'a row that is not there',
      withInt32(shard, 'orders', OrderColumn.pickupPlace, 30_000),
      'PAYLOAD_INVALID: orders row 0, column pickupPlace: 30000 is no row of places',
    ],
    [
      'a feature that is not a number',
      withFloat(shard, 'order_features', 0, NaN),
      'PAYLOAD_INVALID: order_features row 0, column merchantMeanPrepMinutes: nan is not finite',
    ],
    [
      'another version of the layout',
      withParam(shard, Param.abi, 2n),
      'PAYLOAD_INVALID: params row 0, column abi: 2 is not 1, the version that this build reads',
    ],
    [
      'extreme weights',
      withParam(shard, Param.weightLateness, 2n ** 63n - 1n),
      'PAYLOAD_INVALID: params row 0, column weightLateness: 9223372036854775807 is not within 0..2^53',
    ],
    [
      'a size that is no whole number of rows',
      changed(shard, 'couriers', ({ data }) => ({ data: data.subarray(4), shape: [1, data.length / 4 - 1] })),
      `PAYLOAD_INVALID: couriers: ${bytesOf('couriers') - 4} bytes are no whole number of rows`,
    ],
    [
      'a batch of two in one request',
      shard.tensors.map((tensor) => ({
        ...tensor,
        shape: [2, tensor.shape[1]!],
        data: Buffer.concat([tensor.data, tensor.data]),
      })),
      "PAYLOAD_INVALID: tensor 'params' must have shape [1, L]: a shard is a batch of 1",
    ],
    ['another type', changed(shard, 'held', () => ({ datatype: 'FP32' as never })), /'held'.*INT32/],
    ['a missing tensor', shard.tensors.filter(({ name }) => name !== 'places'), /places/],
  ])('%s', async (_name, tensors, message) => {
    const failed = costed(tensors);
    await expect(failed).rejects.toMatchObject({ code: 'INVALID_ARG' });
    await expect(failed).rejects.toThrow(message);
  });
});

/** Thousands of candidates with up to six orders in the plan: some 100 ms of search. */
function heavyShard(): Shard {
  const shape = { seed: 17, couriers: 200, orders: 60, heldPerCourier: 4, policy: { couriersPerBundle: 40 } };
  return shardsOf(withoutRideFactors({ ...shape, known: true }), 100_000)[0]!;
}

test('shards of one Execute call: each its own answer, a bad one fails alone', async () => {
  const shapes = Array.from({ length: 24 }, (_, i) => ({
    seed: 100 + i,
    couriers: 4 + i,
    orders: 10,
    heldPerCourier: 2,
  }));
  const shards = shapes.map((shape) => shardsOf(cityRound(shape), 2_000)[0]!);
  const alone: Awaited<ReturnType<typeof costed>>[] = [];
  for (const shard of shards) alone.push(await costed(shard.tensors));
  const before = statisticsOf(host.server, 'candidate_cost')[0]!;
  const busy = [heavyShard(), heavyShard()].map((shard) => costed(shard.tensors));
  const bad = new Set([5, 17]);
  const together = await Promise.allSettled(
    shards.map((shard, i) => costed(bad.has(i) ? badOrder(shard) : shard.tensors)),
  );
  together.forEach((result, i) => {
    if (bad.has(i)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'INVALID_ARG' } });
      return;
    }
    const { value } = result as PromiseFulfilledResult<Awaited<ReturnType<typeof costed>>>;
    for (const name of ['plans', 'order_times', 'ride_factors']) {
      expect(Buffer.compare(value[name]!, alone[i]![name]!)).toBe(0);
    }
  });
  await Promise.all(busy);
  const after = statisticsOf(host.server, 'candidate_cost')[0]!;
  // 22 good shards and the two that keep both instances busy.
  expect(after.inference_stats.success.count - before.inference_stats.success.count).toBe(24);
  expect(after.inference_stats.fail.count - before.inference_stats.fail.count).toBe(2);
  // What queued meanwhile goes in batches of up to 8: 24 shards need far fewer than 24 calls.
  expect(after.execution_count - before.execution_count).toBeLessThan(12);
  expect(Math.max(...after.batch_stats.map(({ batch_size }) => batch_size))).toBe(8);
});

test('shards that are cancelled in a batch leave the others as they are', async () => {
  const shards = shardsOf(cityRound({ seed: 18, ...small }), 40).slice(0, 16);
  const alone: Awaited<ReturnType<typeof costed>>[] = [];
  for (const shard of shards) alone.push(await costed(shard.tensors));
  const abort = new AbortController();
  const busy = [heavyShard(), heavyShard()].map((shard) => costed(shard.tensors));
  // Every other one, the first of them among those that wait in the core.
  const all = shards.map((shard, i) =>
    i % 2 === 0
      ? costed(shard.tensors)
      : host.server.infer({ model: 'candidate_cost', inputs: shard.tensors }, { signal: abort.signal }),
  );
  abort.abort();
  const ends = await Promise.allSettled(all);
  ends.forEach((end, i) => {
    if (i % 2 === 1) return expect(end).toMatchObject({ status: 'rejected', reason: { code: 'CANCELLED' } });
    const { value } = end as PromiseFulfilledResult<Awaited<ReturnType<typeof costed>>>;
    for (const name of ['plans', 'order_times', 'ride_factors']) {
      expect(Buffer.compare(value[name]!, alone[i]![name]!)).toBe(0);
    }
  });
  await Promise.all(busy);
  while (host.server.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1));
});

test('an aborted request stops the solver', async () => {
  const shard = heavyShard();
  // Times are compared with each other; one attempt of a busy machine may be disturbed.
  await atBestOf(5, async () => {
    const started = performance.now();
    await costed(shard.tensors);
    const whole = performance.now() - started;
    const abort = new AbortController();
    const running = host.server.infer(
      { model: 'candidate_cost', inputs: shard.tensors },
      { signal: abort.signal },
    );
    setTimeout(() => abort.abort(), whole / 10);
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    const aborted = performance.now();
    while (host.server.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(performance.now() - aborted).toBeLessThan(whole / 2);
  });
});
