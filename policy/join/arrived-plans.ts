import { PlanFlag, PlanRecord } from '#schemas/tensors';
import type { PlanColumns } from './plan-columns';

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

export interface ShardPlans {
  readonly shardIndex: number;
  readonly columns: PlanColumns;
}

/** The feasible plans of a round's shards, in the order of shards and records, as columns. */
export class ArrivedPlans {
  readonly count: number;
  readonly courier: Int32Array;
  /** Orders of plan p: `orders[orderStart[p]] … orders[orderStart[p + 1] − 1]`; none for a held plan alone. */
  readonly orderStart: Int32Array;
  readonly orders: Int32Array;
  /** Exact where `areCostsSafe`. */
  readonly cost: Float64Array;
  readonly areCostsSafe: boolean;
  /** Which of the shards. */
  private readonly shard: Int32Array;
  /** The first plan of each shard. */
  private readonly first: number[] = [];

  constructor(private readonly shards: readonly ShardPlans[]) {
    const sum = (of: (columns: PlanColumns) => number) =>
      shards.reduce((total, { columns }) => total + of(columns), 0);
    this.count = sum(({ count }) => count);
    this.courier = new Int32Array(this.count);
    this.orderStart = new Int32Array(this.count + 1);
    this.orders = new Int32Array(sum(({ orders }) => orders.length));
    this.cost = new Float64Array(this.count);
    this.areCostsSafe = shards.every(({ columns }) => columns.areCostsSafe);
    this.shard = new Int32Array(this.count);
    let next = 0;
    shards.forEach(({ columns }, shard) => (next = this.append(columns, shard, next)));
  }

  plan(index: number): ArrivedPlan {
    const { view, at } = this.recordOf(index);
    return {
      shardIndex: this.shards[this.shard[index]!]!.shardIndex,
      courier: this.courier[index]!,
      orders: [...this.orders.subarray(this.orderStart[index]!, this.orderStart[index + 1]!)],
      cost: view.getBigInt64(at + PlanRecord.cost, true),
      packedStops: view.getBigUint64(at + PlanRecord.stops, true),
      unproven: (view.getUint8(at + PlanRecord.flags) & PlanFlag.unproven) !== 0,
    };
  }

  exactCost(index: number): bigint {
    const { view, at } = this.recordOf(index);
    return view.getBigInt64(at + PlanRecord.cost, true);
  }

  private recordOf(index: number): { readonly view: DataView; readonly at: number } {
    const shard = this.shard[index]!;
    const { view, at } = this.shards[shard]!.columns;
    return { view, at: at[index - this.first[shard]!]! };
  }

  private append(columns: PlanColumns, shard: number, from: number): number {
    const slot = this.orderStart[from]!;
    this.first.push(from);
    this.courier.set(columns.courier, from);
    this.cost.set(columns.cost, from);
    this.orders.set(columns.orders, slot);
    this.shard.fill(shard, from, from + columns.count);
    for (let plan = 1; plan <= columns.count; plan++) {
      this.orderStart[from + plan] = slot + columns.orderStart[plan]!;
    }
    return from + columns.count;
  }
}
