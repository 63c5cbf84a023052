/** The functions of build/native/packing.node, one to one. Internal: use nativePacker. */
import { RoundhouseError } from '#schemas/errors';
import { addonLoader } from '../load-addon';

export interface NativePacking {
  readonly columns: Int32Array;
  readonly bound: number;
}

export interface PackingBindings {
  abiVersion(): number;
  /** courier, profit, orderStart, orders, courierCount, orderCount, penaltySum, budget, closeEnough, threads. */
  pack(
    courier: Int32Array,
    profit: Float64Array,
    orderStart: Int32Array,
    orders: Int32Array,
    courierCount: number,
    orderCount: number,
    penaltySum: number,
    budget: number,
    closeEnough: number,
    threads: number,
  ): NativePacking;
}

export const loadBindings = addonLoader<PackingBindings>('packing', {
  abiVersion: 1,
  fault: (message, cause) => new RoundhouseError('INTERNAL', message, [], { cause }),
});
