import { RoundhouseError } from '#schemas/errors';
import { MAX_BUNDLE_ORDERS, NO_ROW, PLAN_RECORD_BYTES, PlanFlag, PlanRecord } from '#schemas/tensors';

/** One candidate's result with round-wide indices. */
export interface Plan {
  readonly courier: number;
  /** Bundle, indices into `round.orders`; empty for a base row. */
  readonly orders: readonly number[];
  readonly feasible: boolean;
  readonly unproven: boolean;
  readonly cost: bigint;
  /** Stop numbers − 1 in 4 bits each, first stop lowest; `unpackStops` needs the count of stops. */
  readonly packedStops: bigint;
}

/** Stop numbers 1..16 in visiting order to 64 bits. */
export function packStops(sequence: readonly number[]): bigint {
  return sequence.reduce((bits, stop, i) => bits | (BigInt(stop - 1) << BigInt(4 * i)), 0n);
}

const WORD = 0xffff_ffffn;
/** Of 4 bits, in a word. */
const PLACES = 8;

/** Stop numbers 1..count; PAYLOAD_INVALID unless each stands there once. */
export function unpackStops(packed: bigint, count: number): number[] {
  const words = [Number(packed & WORD), Number((packed >> 32n) & WORD)];
  const sequence: number[] = [];
  let seen = 0;
  for (let place = 0; place < count; place += 1) {
    const stop = (((words[Math.floor(place / PLACES)] ?? 0) >>> (4 * (place % PLACES))) & 15) + 1;
    if (stop <= count) seen |= 1 << stop;
    sequence.push(stop);
  }
  if (seen !== 2 ** (count + 1) - 2) {
    throw new RoundhouseError('PAYLOAD_INVALID', `stops ${sequence.join(' ')} are no order of 1..${count}`);
  }
  return sequence;
}

function planCount(bytes: Uint8Array): number {
  if (bytes.byteLength % PLAN_RECORD_BYTES !== 0) {
    throw new RoundhouseError('PAYLOAD_INVALID', `plans: ${bytes.byteLength} bytes, records of 32`);
  }
  return bytes.byteLength / PLAN_RECORD_BYTES;
}

function readPlan(bytes: Uint8Array, index: number): Plan {
  const view = new DataView(bytes.buffer, bytes.byteOffset + index * PLAN_RECORD_BYTES, PLAN_RECORD_BYTES);
  const orderCount = view.getUint8(PlanRecord.orderCount);
  if (orderCount > MAX_BUNDLE_ORDERS) {
    throw new RoundhouseError('PAYLOAD_INVALID', `plan ${index} has ${orderCount} orders`);
  }
  const flags = view.getUint8(PlanRecord.flags);
  return {
    courier: view.getUint16(PlanRecord.courier, true),
    orders: Array.from({ length: orderCount }, (_, i) => view.getUint16(PlanRecord.orders + 2 * i, true)),
    feasible: (flags & PlanFlag.feasible) !== 0,
    unproven: (flags & PlanFlag.unproven) !== 0,
    cost: view.getBigInt64(PlanRecord.cost, true),
    packedStops: view.getBigUint64(PlanRecord.stops, true),
  };
}

export function decodePlans(bytes: Uint8Array): Plan[] {
  return Array.from({ length: planCount(bytes) }, (_, index) => readPlan(bytes, index));
}

export function encodePlans(plans: readonly Plan[]): Uint8Array {
  const bytes = new Uint8Array(plans.length * PLAN_RECORD_BYTES);
  plans.forEach((plan, index) => {
    const view = new DataView(bytes.buffer, index * PLAN_RECORD_BYTES, PLAN_RECORD_BYTES);
    view.setUint16(PlanRecord.courier, plan.courier, true);
    view.setUint8(PlanRecord.orderCount, plan.orders.length);
    view.setUint8(
      PlanRecord.flags,
      (plan.feasible ? PlanFlag.feasible : 0) | (plan.unproven ? PlanFlag.unproven : 0),
    );
    for (let i = 0; i < MAX_BUNDLE_ORDERS; i += 1) {
      view.setUint16(PlanRecord.orders + 2 * i, plan.orders[i] ?? NO_ROW, true);
    }
    view.setBigInt64(PlanRecord.cost, plan.cost, true);
    view.setBigUint64(PlanRecord.stops, plan.packedStops, true);
  });
  return bytes;
}
