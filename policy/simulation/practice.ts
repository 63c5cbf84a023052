import type { UnixMs } from '#schemas/brands';
import type { DispatchRound, ModelRef, RoundManifest, Shard, ShardOutcome } from '#schemas/domain';
import {
  CANDIDATE_COST_MODEL,
  COURIER_COLUMNS,
  CourierColumn,
  NO_ROW,
  ORDER_COLUMNS,
  OrderColumn,
} from '#schemas/tensors';
import {
  encodeOrderTimes,
  encodePlans,
  noRideFactors,
  orderIndices,
  packStops,
  roundGeometry,
  statedOrderTimes,
  stopsOfCandidate,
  travelTime,
  walkPlan,
  type Plan,
} from '../routing/index';
import { cityRounds } from './city/city-rounds';

/** Some 30,000 candidates: what deciding does in turns, and cutting in many shards, is done. */
const SHAPE = { couriers: 400, orders: 800, candidates: null, policy: { bundleOrders: 2 } } as const;
/** As the cut of a round needs them. */
export const practiceModels: readonly ModelRef[] = [
  { name: CANDIDATE_COST_MODEL, version: '1', contentHash: '0'.repeat(64) },
];

/** A round that nobody sent, for code to be compiled before the first one comes; ready at time 0. */
export function practiceRound(seed: number): DispatchRound {
  const [round] = cityRounds({ seed, ...SHAPE }, 1);
  return { ...round!, deadline: 10_000 as UnixMs };
}

/** Outcomes in which every plan serves its stops in the order of their numbers, at the stated times. */
export function practiceOutcomes(
  { round }: RoundManifest,
  shards: readonly Shard[],
): ReadonlyMap<number, ShardOutcome> {
  const planner = new PracticePlanner(round);
  return new Map(shards.map((shard) => [shard.shardIndex as number, planner.outcome(shard)]));
}

class PracticePlanner {
  private readonly geometry;
  private readonly indexOf;
  private readonly times;
  private readonly travel;

  constructor(private readonly round: DispatchRound) {
    this.geometry = roundGeometry(round);
    this.indexOf = orderIndices(round);
    this.times = statedOrderTimes(round);
    this.travel = travelTime(round, this.geometry);
  }

  outcome({ tensors, deadline: _, model, ...ids }: Shard): ShardOutcome {
    return {
      ...ids,
      status: 'solved',
      errorCode: null,
      plans: encodePlans(rowsOf(tensors).map(([courier, ...orders]) => this.plan(courier!, orders))),
      orderTimes: encodeOrderTimes(this.times),
      rideFactors: new Uint8Array(Int32Array.from(noRideFactors).buffer),
      models: [model],
      deviceKind: 'cpu',
    };
  }

  private plan(courier: number, orders: readonly number[]): Plan {
    const { round, geometry, travel, times } = this;
    const stops = stopsOfCandidate(round, geometry, this.indexOf, courier, orders);
    const sequence = stops.map((_, index) => index + 1);
    const { feasible, cost } = walkPlan({ round, geometry, travel, times, courier, stops, sequence });
    return { courier, orders, feasible, unproven: false, cost, packedStops: packStops(sequence) };
  }
}

/** Candidates of a shard: the courier, then the orders, by their indices in the round. */
function rowsOf(tensors: Shard['tensors']): number[][] {
  const bytesOf = (name: string) => tensors.find((tensor) => tensor.name === name)!.data.slice().buffer;
  const couriers = new Int32Array(bytesOf('couriers'));
  const orders = new Int32Array(bytesOf('orders'));
  const cells = new Uint16Array(bytesOf('candidates'));
  const width = 1 + SHAPE.policy.bundleOrders;
  return Array.from({ length: cells.length / width }, (_, row) => {
    const [courier, ...bundle] = cells.subarray(row * width, (row + 1) * width);
    return [
      couriers[courier! * COURIER_COLUMNS + CourierColumn.roundIndex]!,
      ...bundle
        .filter((order) => order !== NO_ROW)
        .map((order) => orders[order * ORDER_COLUMNS + OrderColumn.roundIndex]!),
    ];
  });
}
