import type {
  CourierId,
  OrderId,
  PlaceId,
  RoundId,
  RunId,
  Seconds,
  ShardIndex,
  TenantId,
  UnixMs,
  ZoneId,
} from './brands';

export * from './decision';

/** Vehicle classes in the order of their tensor codes 0..3. */
export const vehicles = ['walk', 'bike', 'scooter', 'car'] as const;
export type Vehicle = (typeof vehicles)[number];

/** Planar metres (`x`, `y`) or WGS84 degrees (`x` = longitude, `y` = latitude), as the round's `space` says. */
export interface Point {
  readonly x: number;
  readonly y: number;
}
export type Space = 'planar' | 'wgs84';

export interface Stop {
  /** Orders with one pickup `placeId` come from one restaurant and may be bundled. */
  readonly placeId: PlaceId;
  readonly point: Point;
  /** Zone row of the travel matrix; absent where travel is by speed. */
  readonly travelZone?: number;
  /** Service before the handling (parking, walking in), then after it. */
  readonly preServiceSeconds: Seconds;
  readonly postServiceSeconds: Seconds;
}

/** What the network may know of an order; docs/etr.md has the meaning of each column. Defaults are 0. */
export interface OrderFeatures {
  readonly merchantMeanPrepMinutes: number;
  readonly merchantStdPrepMinutes: number;
  readonly merchantOpenOrders: number;
  readonly itemCount: number;
  readonly pickupWaitMeanMinutes: number;
  readonly handoverMeanMinutes: number;
  readonly dropoffFloor: number;
}

export interface Order {
  readonly orderId: OrderId;
  readonly pickup: Stop;
  readonly dropoff: Stop;
  readonly placedAt: Seconds;
  /** Ready for pickup: exact if `known.ready`, else the merchant's estimate (the network predicts). */
  readonly readyAt: Seconds;
  readonly promisedAt: Seconds;
  /** Hard limit on the drop-off's time; null where time in the bag is not limited. */
  readonly latestDropoffAt: Seconds | null;
  /** Capacity units that the order takes on board. */
  readonly size: number;
  readonly requiredSkills: readonly string[];
  /** Rounds that left this order out before. */
  readonly timesDeferred: number;
  /** Times marked as known are used unchanged; the others are predicted by ETR. */
  readonly known: { readonly ready: boolean; readonly pickupWait: boolean; readonly handover: boolean };
  readonly features: OrderFeatures;
}

export interface HeldOrder {
  /** An order of the same round's `orders`. */
  readonly orderId: OrderId;
  readonly onBoard: boolean;
}

export interface Courier {
  readonly courierId: CourierId;
  readonly position: Point;
  readonly travelZone?: number;
  /** Free at `position` from then on (the plan's earliest start). */
  readonly availableAt: Seconds;
  /** No pickup happens after it. */
  readonly shiftEndsAt: Seconds;
  readonly vehicle: Vehicle;
  readonly capacity: number;
  readonly skills: readonly string[];
  readonly held: readonly HeldOrder[];
  /** The place this courier was sent to without orders, or the bundle it was told of earlier; a change costs `reshuffleCost`. */
  readonly tentativeOrderIds: readonly OrderId[];
  /** Orders beyond those held that its guaranteed pay covers; absent where each is paid by itself or all are covered. */
  readonly coveredOrders?: number;
}

/** Where orders are expected, by what is known at `asOf`. */
export interface DemandPlace {
  /** Where their pickups are. */
  readonly placeId: PlaceId;
  readonly point: Point;
  readonly travelZone?: number;
  /** Orders expected in the next hour, in thousandths. */
  readonly weight: number;
}

export type Travel =
  | {
      readonly kind: 'speed';
      /** Whole metres an hour by vehicle; 0 means that no such courier may be in the round. */
      readonly metresPerHour: Readonly<Record<Vehicle, number>>;
      readonly quantumSeconds: Seconds;
      /** True: no ride factor is predicted (factor 1). */
      readonly known: boolean;
    }
  | {
      readonly kind: 'matrix';
      /** SHA-256 (hex) of the matrix file in the model repository; docs/travel.md has the format. */
      readonly contentHash: string;
      readonly quantumSeconds: Seconds;
      readonly known: boolean;
    };

/** Trips that a courier is planned for one after the other, each to one restaurant. */
export interface ChainRule {
  readonly maxTrips: number;
  /** Of all trips together. */
  readonly maxOrders: number;
}

/** Which couriers without anything to do are sent to where orders are expected. */
export interface PrepositioningRule {
  readonly maxRideSeconds: Seconds;
  /** A courier stays where it is when less of its shift would be left on arrival. */
  readonly minShiftLeftSeconds: Seconds;
}

/** The settings that a round carries. The code that obeys them lives in the folder policy/. */
export interface RoundPolicy {
  /** Cost of a plan = lateness·Σ max(0, drop-off − promised) + duration·(end − start) + freshness·Σ (drop-off − ready). */
  readonly weights: { readonly lateness: number; readonly duration: number; readonly freshness: number };
  readonly travel: Travel;
  /** Couriers farther from the pickup than this are no candidates. */
  readonly candidateRadiusMetres: number;
  /** Nearest feasible couriers costed for each bundle. */
  readonly couriersPerBundle: number;
  readonly bundles: {
    readonly maxOrders: number;
    /** Orders of a bundle are ready within this span. */
    readonly maxReadySpreadSeconds: Seconds;
    /** Drop-offs of a bundle are at most this far apart. */
    readonly maxDropoffSpreadMetres: number;
    /** True: bundles are a partition of the orders (matching is exact); false: they may overlap. */
    readonly disjoint: boolean;
  };
  /** May stops of the bundle mix with stops already held? */
  readonly interleave: boolean;
  /** Orders of one plan with the same pickup place are picked up at one stop. */
  readonly mergePickups: boolean;
  /** Cost of leaving an order out: base + perDeferral·timesDeferred. */
  readonly unassignedPenalty: { readonly base: number; readonly perDeferral: number };
  /** Added to a candidate that changes what a courier was told earlier. */
  readonly reshuffleCost: number;
  readonly quantile: 'p50' | 'p90';
  readonly modelLabel: 'stable' | 'canary';
  /** Two-stage commitment horizon f; null: every assignment is final. */
  readonly commitHorizonSeconds: Seconds | null;
  readonly context: {
    /** Local time of day at `asOf`, and day of week (0 = Monday), for the network. */
    readonly secondsOfDay: Seconds;
    readonly dayOfWeek: number;
    readonly rainPerMille: number;
    readonly trafficPerMille: number;
  };
  /**
   * Candidates may be chains of trips, of which the first may be committed and the others are tentative; absent: a
   * candidate is one trip. Needs mergePickups and no interleave.
   */
  readonly chains?: ChainRule;
  /** Added to a plan for each of a courier's new orders beyond its `coveredOrders`; absent: 0. */
  readonly uncoveredOrderCost?: number;
  /** Absent: couriers without orders stay where they are. */
  readonly prepositioning?: PrepositioningRule;
}

export interface RoundKey {
  readonly tenantId: TenantId;
  readonly runId: RunId;
  readonly roundId: RoundId;
}
export interface ShardKey extends RoundKey {
  readonly shardIndex: ShardIndex;
}

export interface DispatchRound extends RoundKey {
  readonly zoneId: ZoneId;
  /** Orders the rounds of a zone; exact over the whole range of int64. */
  readonly sequence: bigint;
  readonly asOf: Seconds;
  readonly deadline: UnixMs;
  readonly space: Space;
  readonly policy: RoundPolicy;
  readonly couriers: readonly Courier[];
  readonly orders: readonly Order[];
  readonly cancelledOrderIds: readonly OrderId[];
  /** For prepositioning. */
  readonly demand?: readonly DemandPlace[];
}

export interface ModelRef {
  readonly name: string;
  readonly version: string;
  /** SHA-256 (hex) of the version folder's files. */
  readonly contentHash: string;
}

/** What stands on dispatch.rounds: the whole round plus what ingest decided about it. */
export interface RoundManifest {
  readonly round: DispatchRound;
  readonly models: readonly ModelRef[];
  readonly shardCount: number;
  /** Candidates in each shard; their sum is the denominator of coverage. */
  readonly shardCandidateCounts: readonly number[];
  /** Per shard a bitmap over `round.orders` (bit i of byte i>>3): which orders stand in it. */
  readonly shardOrders: readonly Uint8Array[];
}

/** A named tensor of a shard; `data` is little-endian, row-major. */
export interface NamedTensor {
  readonly name: string;
  readonly datatype: 'INT64' | 'INT32' | 'UINT16' | 'FP32' | 'UINT8';
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** What stands on dispatch.shards. The worker never looks inside the tensors. */
export interface Shard extends ShardKey {
  readonly zoneId: ZoneId;
  readonly shardCount: number;
  readonly candidateCount: number;
  readonly deadline: UnixMs;
  readonly model: ModelRef;
  readonly tensors: readonly NamedTensor[];
}

export const outcomeStatuses = ['solved', 'failed', 'late'] as const;
export type OutcomeStatus = (typeof outcomeStatuses)[number];

/** What stands on dispatch.outcomes; the byte fields are laid out in tensors.ts. */
export interface ShardOutcome extends ShardKey {
  readonly zoneId: ZoneId;
  readonly shardCount: number;
  readonly candidateCount: number;
  readonly status: OutcomeStatus;
  /** Code of the error table for `failed` and `late`, else null. */
  readonly errorCode: string | null;
  /** Plan records, PLAN_RECORD_BYTES each; empty unless solved. */
  readonly plans: Uint8Array;
  /** Predicted times that were used, INT32 rows of ORDER_TIME_COLUMNS; empty unless solved. */
  readonly orderTimes: Uint8Array;
  /** Ride factor per vehicle class, INT32 per mille; empty unless solved. */
  readonly rideFactors: Uint8Array;
  readonly models: readonly ModelRef[];
  readonly deviceKind: string;
}

/** What really happened; for evaluation and drift. */
export interface Observation {
  readonly tenantId: TenantId;
  readonly runId: RunId;
  readonly zoneId: ZoneId;
  readonly orderId: OrderId;
  readonly courierId: CourierId | null;
  readonly kind: 'picked_up' | 'dropped_off' | 'refused' | 'cancelled';
  readonly at: Seconds;
}
