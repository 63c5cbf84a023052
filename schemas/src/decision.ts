import type { CourierId, DecisionId, OrderId, PlaceId, Seconds, ShardIndex, UnixMs, ZoneId } from './brands';
import type { ModelRef, OutcomeStatus, RoundKey } from './domain';

export const unassignedReasons = [
  'cancelled',
  'no_feasible_courier',
  'cheaper_to_wait',
  'shard_late',
  'shard_failed',
  'engine_lost',
  'dead_letter',
  'stale',
] as const;
export type UnassignedReason = (typeof unassignedReasons)[number];

export const commitmentStages = ['final', 'partial', 'tentative'] as const;
export type CommitmentStage = (typeof commitmentStages)[number];

export interface PlannedStop {
  readonly kind: 'pickup' | 'dropoff';
  readonly orderIds: readonly OrderId[];
  readonly placeId: PlaceId;
  readonly arriveAt: Seconds;
  /** The pickup or drop-off itself: after pre-service, and not before ready. */
  readonly servedAt: Seconds;
  readonly departAt: Seconds;
}

/** A courier has one, and with chains one a trip, in their order: only its first is ever final or partial. */
export interface Assignment {
  readonly courierId: CourierId;
  /** The new orders of this courier in this trip; empty where only its held stops were planned again. */
  readonly orderIds: readonly OrderId[];
  /** The whole plan of the courier, held stops included; of a chain the stops of the trip, held ones in the first. */
  readonly stops: readonly PlannedStop[];
  /** Marginal cost: the plan's cost minus the cost of the courier's held plan alone; of a later trip what it adds. */
  readonly cost: bigint;
  /** The heuristic gave the plan: not proven optimal. */
  readonly unproven: boolean;
  readonly stage: CommitmentStage;
}

/** A courier sent to a place without orders (partial commitment, prepositioning). */
export interface CourierMove {
  readonly courierId: CourierId;
  readonly placeId: PlaceId;
  readonly departAt: Seconds;
}

export interface ShardUse {
  readonly shardIndex: ShardIndex;
  readonly status: OutcomeStatus | 'missing';
  readonly errorCode: string | null;
}

export interface DecisionContent {
  readonly assignments: readonly Assignment[];
  readonly moves: readonly CourierMove[];
  readonly unassigned: readonly { readonly orderId: OrderId; readonly reason: UnassignedReason }[];
  readonly shards: readonly ShardUse[];
  readonly candidatesTotal: number;
  readonly candidatesArrived: number;
  /** candidatesArrived / candidatesTotal; 1 for a round without candidates. */
  readonly coverage: number;
  readonly closedBy: 'complete' | 'deadline';
  /** Upper bound on (cost − optimum) of the assignment; 0 where it is proven optimal. */
  readonly assignmentGap: bigint;
  readonly models: readonly ModelRef[];
}

export interface Decision extends RoundKey {
  readonly zoneId: ZoneId;
  readonly sequence: bigint;
  readonly asOf: Seconds;
  readonly deadline: UnixMs;
  /** Equal for equal ids and content: a repeated publication is recognised by it. */
  readonly decisionId: DecisionId;
  /** SHA-256 (hex) of the Avro encoding of `content`. */
  readonly contentHash: string;
  readonly content: DecisionContent;
}
