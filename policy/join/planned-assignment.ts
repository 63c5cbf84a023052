import type { Assignment, CourierMove, ShardOutcome } from '#schemas/domain';
import { commitmentStage, partialMove } from '../commitment/commitment-stage';
import {
  decodeRideFactors,
  stopsOfCandidate,
  travelTime,
  unpackStops,
  walkPlan,
  type OrderTimes,
  type TravelMatrix,
  type TravelTime,
  type WalkedPlan,
} from '../routing/index';
import type { ArrivedPlan } from './arrived-plans';
import type { OutcomeReader } from './outcome-reader';
import type { ChosenPlan } from './choose-plans';
import type { RoundIndex } from './round-index';
import { tripsOfPlan } from './trips-of-plan';

/** Times and travel that the plans of one shard used. */
interface ShardWalk {
  readonly times: ReadonlyMap<number, OrderTimes>;
  readonly travel: TravelTime;
}

export interface Planned {
  /** A trip each, in their order; without chains it is one. */
  readonly assignments: readonly Assignment[];
  readonly move: CourierMove | null;
}

/** Walks chosen plans again; the walk must give the cost that the record states. */
export class PlanWalker {
  private readonly walks = new Map<number, ShardWalk>();

  constructor(
    private readonly index: RoundIndex,
    private readonly outcomes: ReadonlyMap<number, ShardOutcome>,
    private readonly reader: OutcomeReader,
    private readonly matrix: TravelMatrix | undefined,
  ) {}

  /** Null where the record contradicts the walk: no such stops, infeasible, or of another cost. */
  plan({ plan, marginalCost }: ChosenPlan): Planned | null {
    const { round } = this.index;
    const walked = this.walk(plan);
    if (walked === null || !walked.feasible || walked.cost !== plan.cost) return null;
    const courier = round.couriers[plan.courier]!;
    const { times } = this.shardWalk(plan.shardIndex);
    const [first, ...later] = tripsOfPlan(this.index, plan.orders, { ...walked, cost: marginalCost }, times);
    const { orderIds, stops } = first!;
    const stage = commitmentStage(stops, round, courier, orderIds);
    const given = { courierId: courier.courierId, unproven: plan.unproven };
    return {
      assignments: [
        { ...given, ...first!, stage },
        ...later.map((trip) => ({ ...given, ...trip, stage: 'tentative' as const })),
      ],
      move: stage === 'partial' ? partialMove(stops, round, courier, orderIds) : null,
    };
  }

  private walk(plan: ArrivedPlan): WalkedPlan | null {
    const { round, geometry, orderIndex } = this.index;
    const { times, travel } = this.shardWalk(plan.shardIndex);
    const stops = stopsOfCandidate(round, geometry, orderIndex, plan.courier, plan.orders);
    if (stops.some(({ orders }) => orders.some((order) => !times.has(order)))) return null;
    return unlessThrown(() => {
      const sequence = unpackStops(plan.packedStops, stops.length);
      return walkPlan({ round, geometry, travel, times, courier: plan.courier, stops, sequence });
    });
  }

  private shardWalk(shardIndex: number): ShardWalk {
    const known = this.walks.get(shardIndex);
    if (known !== undefined) return known;
    const outcome = this.outcomes.get(shardIndex)!;
    const { round, geometry } = this.index;
    const travel = travelTime(round, geometry, decodeRideFactors(outcome.rideFactors), this.matrix);
    const walk = { times: this.reader.read(outcome).times, travel };
    this.walks.set(shardIndex, walk);
    return walk;
  }
}

/** Null where a record can't be walked at all: no permutation of its stops, a vehicle that the matrix lacks. */
function unlessThrown<T>(walk: () => T): T | null {
  try {
    return walk();
  } catch {
    return null;
  }
}
