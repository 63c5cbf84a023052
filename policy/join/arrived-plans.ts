import { PLAN_RECORD_BYTES, PlanFlag, PlanRecord } from '#schemas/tensors';

/** A feasible plan record of an outcome. */
export interface ArrivedPlan {
  readonly shardIndex: number;
  readonly courier: number;
  /** Indices into `round.orders`; empty for a courier's held plan alone. */
  readonly orders: readonly number[];
  readonly cost: bigint;
  readonly packedStops: bigint;
  readonly unproven: boolean;
}

/** The plan records of a shard, which were found to be of their round. */
export interface ShardPlans {
  readonly shardIndex: number;
  readonly bytes: Uint8Array;
}

/** 2^53 in units of the high word of a cost. */
const UNSAFE_HIGH_WORD = 2 ** 21;

const viewOf = ({ bytes }: ShardPlans): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const isFeasible = (view: DataView, at: number): boolean =>
  (view.getUint8(at + PlanRecord.flags) & PlanFlag.feasible) !== 0;

/** The feasible plans of a round's shards, in the order of shards and records, as columns. */
export class ArrivedPlans {
  readonly count: number;
  readonly courier: Int32Array;
  /** Orders of plan p: `orders[orderStart[p]] … orders[orderStart[p + 1] − 1]`; none for a held plan alone. */
  readonly orderStart: Int32Array;
  readonly orders: Int32Array;
  /** Exact where `areCostsSafe`. */
  readonly cost: Float64Array;
  areCostsSafe = true;
  /** Which of the shards, and where in its bytes. */
  private readonly shard: Int32Array;
  private readonly at: Int32Array;
  private readonly views: readonly DataView[];

  constructor(private readonly shards: readonly ShardPlans[]) {
    this.views = shards.map(viewOf);
    const { plans, slots } = countFeasible(this.views);
    this.count = plans;
    this.courier = new Int32Array(plans);
    this.orderStart = new Int32Array(plans + 1);
    this.orders = new Int32Array(slots);
    this.cost = new Float64Array(plans);
    this.shard = new Int32Array(plans);
    this.at = new Int32Array(plans);
    let next = 0;
    this.views.forEach((view, shard) => (next = this.fill(view, shard, next)));
  }

  plan(index: number): ArrivedPlan {
    const shard = this.shard[index]!;
    const view = this.views[shard]!;
    const at = this.at[index]!;
    return {
      shardIndex: this.shards[shard]!.shardIndex,
      courier: this.courier[index]!,
      orders: [...this.orders.subarray(this.orderStart[index]!, this.orderStart[index + 1]!)],
      cost: this.exactCost(index),
      packedStops: view.getBigUint64(at + PlanRecord.stops, true),
      unproven: (view.getUint8(at + PlanRecord.flags) & PlanFlag.unproven) !== 0,
    };
  }

  exactCost(index: number): bigint {
    return this.views[this.shard[index]!]!.getBigInt64(this.at[index]! + PlanRecord.cost, true);
  }

  private fill(view: DataView, shard: number, from: number): number {
    let plan = from;
    let slot = this.orderStart[from]!;
    for (let at = 0; at < view.byteLength; at += PLAN_RECORD_BYTES) {
      if (!isFeasible(view, at)) continue;
      const high = view.getInt32(at + PlanRecord.cost + 4, true);
      if (high >= UNSAFE_HIGH_WORD || high < -UNSAFE_HIGH_WORD) this.areCostsSafe = false;
      this.shard[plan] = shard;
      this.at[plan] = at;
      this.courier[plan] = view.getUint16(at + PlanRecord.courier, true);
      this.cost[plan] = high * 2 ** 32 + view.getUint32(at + PlanRecord.cost, true);
      const count = view.getUint8(at + PlanRecord.orderCount);
      for (let i = 0; i < count; i++)
        this.orders[slot++] = view.getUint16(at + PlanRecord.orders + 2 * i, true);
      this.orderStart[++plan] = slot;
    }
    return plan;
  }
}

function countFeasible(views: readonly DataView[]): { plans: number; slots: number } {
  let plans = 0;
  let slots = 0;
  for (const view of views) {
    for (let at = 0; at < view.byteLength; at += PLAN_RECORD_BYTES) {
      if (!isFeasible(view, at)) continue;
      plans++;
      slots += view.getUint8(at + PlanRecord.orderCount);
    }
  }
  return { plans, slots };
}
