import { PLAN_RECORD_BYTES, PlanFlag, PlanRecord } from '#schemas/tensors';

/** 2^53 in units of the high word of a cost. */
const UNSAFE_HIGH_WORD = 2 ** 21;

const isFeasible = (view: DataView, at: number): boolean =>
  (view.getUint8(at + PlanRecord.flags) & PlanFlag.feasible) !== 0;

/** The feasible plan records of a shard, which were found to be of their round, as columns. */
export class PlanColumns {
  readonly count: number;
  readonly courier: Int32Array;
  /** Orders of plan p: `orders[orderStart[p]] … orders[orderStart[p + 1] − 1]`; none for a held plan alone. */
  readonly orderStart: Int32Array;
  readonly orders: Int32Array;
  /** Exact where `areCostsSafe`. */
  readonly cost: Float64Array;
  areCostsSafe = true;
  /** Where each stands in the bytes. */
  readonly at: Int32Array;
  readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { plans, slots } = countFeasible(this.view);
    this.count = plans;
    this.courier = new Int32Array(plans);
    this.orderStart = new Int32Array(plans + 1);
    this.orders = new Int32Array(slots);
    this.cost = new Float64Array(plans);
    this.at = new Int32Array(plans);
    this.fill();
  }

  private fill(): void {
    const { view } = this;
    let plan = 0;
    let slot = 0;
    for (let at = 0; at < view.byteLength; at += PLAN_RECORD_BYTES) {
      if (!isFeasible(view, at)) continue;
      const high = view.getInt32(at + PlanRecord.cost + 4, true);
      if (high >= UNSAFE_HIGH_WORD || high < -UNSAFE_HIGH_WORD) this.areCostsSafe = false;
      this.at[plan] = at;
      this.courier[plan] = view.getUint16(at + PlanRecord.courier, true);
      this.cost[plan] = high * 2 ** 32 + view.getUint32(at + PlanRecord.cost, true);
      const count = view.getUint8(at + PlanRecord.orderCount);
      for (let i = 0; i < count; i++)
        this.orders[slot++] = view.getUint16(at + PlanRecord.orders + 2 * i, true);
      this.orderStart[++plan] = slot;
    }
  }
}

function countFeasible(view: DataView): { plans: number; slots: number } {
  let plans = 0;
  let slots = 0;
  for (let at = 0; at < view.byteLength; at += PLAN_RECORD_BYTES) {
    if (!isFeasible(view, at)) continue;
    plans++;
    slots += view.getUint8(at + PlanRecord.orderCount);
  }
  return { plans, slots };
}
