/** The functions of build/native/planner.node, one to one. Internal: use RoutePlanner. */
import { RoundhouseError } from '#schemas/errors';
import { addonLoader } from '../load-addon';

export interface NativeShardCosts {
  readonly plans: Uint8Array;
  readonly orderTimes: Int32Array;
  readonly rideFactors: Int32Array;
}

/** params, couriers, held, orders, places, order_features, candidates, the travel matrix by vehicle, its zones. */
export type NativeShard = readonly [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  readonly (Int32Array | undefined)[],
  number,
];

export interface PlannerBindings {
  abiVersion(): number;
  costShard(...shard: NativeShard): NativeShardCosts;
  costShardAsync(...shard: NativeShard): Promise<NativeShardCosts>;
  /** Problems as pack-problems.ts packs them; ANSWER_VALUES values for each. `exact`: also beyond MAX_EXACT_ORDERS orders. */
  solveProblems(packed: Int32Array, exact: boolean): BigInt64Array;
  solveProblemsAsync(packed: Int32Array, exact: boolean): Promise<BigInt64Array>;
  /** `what`: 0 solve, 1 prepare and solve, 2 full enumeration; whole passes for at least `leastSeconds`. */
  measureProblems(packed: Int32Array, what: number, leastSeconds: number): Measurement;
}

export interface Measurement {
  readonly plans: number;
  /** Processor seconds of the thread. */
  readonly seconds: number;
  /** Of one pass over the problems. */
  readonly nodes: number;
  readonly mostNodes: number;
}

export const loadBindings = addonLoader<PlannerBindings>('planner', {
  abiVersion: 2,
  fault: (message, cause) => new RoundhouseError('INTERNAL', message, [], { cause }),
});
