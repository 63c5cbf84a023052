import type { NamedTensor } from '#schemas/domain';
import { RoundhouseError, errorCodes, type ErrorCode } from '#schemas/errors';
import { Param, shardInputs } from '#schemas/tensors';
import {
  loadBindings,
  type Measurement,
  type NativeShard,
  type NativeShardCosts,
  type PlannerBindings,
} from './bindings';
import { packProblems, unpackAnswers } from './pack-problems';
import type { RoutePlan, RouteProblem, RouteRefusal } from './route-problem';

/** What a shard's outcome carries. */
export interface ShardCosts {
  readonly plans: Uint8Array;
  readonly orderTimes: Uint8Array;
  readonly rideFactors: Uint8Array;
}

/** Zone-to-zone seconds by vehicle code, row-major; its hash is compared with the one in the shard's params. */
export interface ShardTravelMatrix {
  readonly contentHash: string;
  readonly zones: number;
  readonly secondsByVehicle: readonly (Int32Array | undefined)[];
}

/**
 * The route planner without an engine: for rounds whose times are all known, and for route problems. The
 * plain functions work in the caller's thread, the Async ones on a thread of Node's pool.
 */
export class RoutePlanner {
  constructor(private readonly bindings: PlannerBindings = loadBindings()) {}

  /**
   * Costs a shard. Throws PAYLOAD_INVALID naming tensor, row and column, also where a time would have to be
   * predicted, and TRAVEL_MATRIX_UNKNOWN where the shard needs a matrix other than `matrix`.
   */
  costShard(tensors: readonly NamedTensor[], matrix?: ShardTravelMatrix): ShardCosts {
    const shard = nativeShard(tensors, matrix);
    return withOurErrors(() => outcomeBytes(this.bindings.costShard(...shard)));
  }

  async costShardAsync(tensors: readonly NamedTensor[], matrix?: ShardTravelMatrix): Promise<ShardCosts> {
    const shard = nativeShard(tensors, matrix);
    return outcomeBytes(await this.bindings.costShardAsync(...shard).catch(rethrow));
  }

  /** Throws PAYLOAD_INVALID naming the first problem that is refused. */
  solveProblems(problems: readonly RouteProblem[], { exact = false } = {}): RoutePlan[] {
    const packed = packProblems(problems);
    const answers = withOurErrors(() => this.bindings.solveProblems(packed, exact));
    return unpackAnswers(problems, answers).map((plan, index) => {
      if ('refused' in plan) throw invalid(`problem ${index} ${plan.refused}`);
      return plan;
    });
  }

  /** The same off the caller's thread, with a refusal as a value. */
  async trySolveProblems(problems: readonly RouteProblem[]): Promise<(RoutePlan | RouteRefusal)[]> {
    const packed = packProblems(problems);
    const answers = await this.bindings.solveProblemsAsync(packed, false).catch(rethrow);
    return unpackAnswers(problems, answers);
  }

  /** Passes over the problems for at least `leastSeconds` of processor time, in the caller's thread. */
  measure(problems: readonly RouteProblem[], what: keyof typeof measured, leastSeconds: number): Measurement {
    return withOurErrors(() =>
      this.bindings.measureProblems(packProblems(problems), measured[what], leastSeconds),
    );
  }
}

/** What a measurement repeats, as measuring.hpp numbers it. */
const measured = { solve: 0, prepareAndSolve: 1, enumeration: 2 } as const;

function bytesOf(array: Int32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function outcomeBytes({ plans, orderTimes, rideFactors }: NativeShardCosts): ShardCosts {
  return { plans, orderTimes: bytesOf(orderTimes), rideFactors: bytesOf(rideFactors) };
}

function invalid(message: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', message);
}

function nativeShard(tensors: readonly NamedTensor[], matrix?: ShardTravelMatrix): NativeShard {
  const data = (name: keyof typeof shardInputs): Uint8Array => {
    const found = tensors.filter((tensor) => tensor.name === name);
    const [tensor] = found;
    if (tensor === undefined || found.length > 1) {
      throw invalid(`tensor ${name} stands there ${found.length} times`);
    }
    if (tensor.datatype !== shardInputs[name]) {
      throw invalid(`tensor ${name}: datatype ${tensor.datatype} is not ${shardInputs[name]}`);
    }
    return tensor.data;
  };
  const params = data('params');
  const used = matrixOf(params, matrix);
  return [
    params,
    data('couriers'),
    data('held'),
    data('orders'),
    data('places'),
    data('order_features'),
    data('candidates'),
    used?.secondsByVehicle ?? [],
    used?.zones ?? 0,
  ];
}

/** The matrix if the shard travels by one; its hash stands in four values, 8 bytes each, big-endian. */
function matrixOf(params: Uint8Array, matrix?: ShardTravelMatrix): ShardTravelMatrix | undefined {
  const view = new DataView(params.buffer, params.byteOffset, params.byteLength);
  const value = (index: number) => view.getBigUint64(8 * index, true);
  if (params.byteLength < 8 * (Param.matrixHash + 4) || value(Param.travelKind) !== 1n) return undefined;
  const hash = [0, 1, 2, 3]
    .map((i) =>
      value(Param.matrixHash + i)
        .toString(16)
        .padStart(16, '0'),
    )
    .join('');
  if (matrix?.contentHash === hash) return matrix;
  throw new RoundhouseError('TRAVEL_MATRIX_UNKNOWN', `no travel matrix ${hash}`);
}

function rethrow(error: unknown): never {
  const code = (error as { code?: string }).code ?? '';
  if (error instanceof RoundhouseError || !(code in errorCodes)) throw error;
  throw new RoundhouseError(code as ErrorCode, (error as Error).message, [], { cause: error });
}

function withOurErrors<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    return rethrow(error);
  }
}
