/**
 * The layout of a shard's tensors and of what the backend gives back: the contract between ingest, the
 * C++ backends (cuda/candidate_cost/layout.hpp mirrors it; a golden test compares) and the aggregator.
 * docs/tensors.md explains every column. Little-endian, row-major, batch dimension 1. Domain times are
 * INT32 seconds relative to the round's `asOf`.
 */
export const CANDIDATE_COST_MODEL = 'candidate_cost';
export const TENSOR_ABI = 1;
/** Stands for "no limit" in INT32 time columns. */
export const NO_LIMIT = 0x7fffffff;
/** Stands for "no order" in candidate rows and plan records. */
export const NO_ROW = 0xffff;
/** A plan has at most this many stops (4 bits each in a plan record) and orders. */
export const MAX_STOPS = 16;
export const MAX_PLAN_ORDERS = 8;
export const MAX_BUNDLE_ORDERS = 6;
/** Plans of up to this many orders and stops are exact. */
export const MAX_EXACT_ORDERS = 7;
export const MAX_EXACT_STOPS = 12;

/** Inputs, each [1, rows·columns]. */
export const shardInputs = {
  params: 'INT64',
  couriers: 'INT32',
  held: 'INT32',
  orders: 'INT32',
  places: 'INT32',
  order_features: 'FP32',
  candidates: 'UINT16',
} as const;

/** Positions in `params` (INT64). */
export const Param = {
  abi: 0,
  asOf: 1,
  quantumSeconds: 2,
  weightLateness: 3,
  weightDuration: 4,
  weightFreshness: 5,
  interleave: 6,
  mergePickups: 7,
  /** 50 or 90 */
  quantile: 8,
  /** Columns of a candidate row: 1 + the round's largest bundle (at least 2). */
  candidateColumns: 9,
  /** 0 speed, 1 matrix */
  travelKind: 10,
  /** Four values by vehicle class, whole metres an hour. */
  metresPerHour: 11,
  /** Four values: the SHA-256 of the matrix, 8 bytes each, big-endian; 0 for travel by speed. */
  matrixHash: 15,
  secondsOfDay: 19,
  dayOfWeek: 20,
  rainPerMille: 21,
  trafficPerMille: 22,
  /** 1: the ride factor is 1 (1000 per mille) and not predicted. */
  travelKnown: 23,
} as const;
export const PARAM_COUNT = 24;

/** Values of `Param.interleave`: in which order groups of stops come. */
export const Interleave = { heldFirst: 0, mixed: 1, tripByTrip: 2 } as const;

/** Columns of `couriers` (INT32). */
export const CourierColumn = {
  roundIndex: 0,
  place: 1,
  startAt: 2,
  latestPickupAt: 3,
  vehicle: 4,
  capacity: 5,
  heldOffset: 6,
  heldCount: 7,
} as const;
export const COURIER_COLUMNS = 8;

/** Columns of `held` (INT32). Row 0 is padding, so that the tensor is never empty. */
export const HeldColumn = { order: 0, onBoard: 1 } as const;
export const HELD_COLUMNS = 2;

/** Columns of `orders` (INT32). */
export const OrderColumn = {
  roundIndex: 0,
  pickupPlace: 1,
  dropoffPlace: 2,
  readyAt: 3,
  promisedAt: 4,
  latestDropoffAt: 5,
  size: 6,
  /** bit 0 ready known, bit 1 pickup wait known, bit 2 hand-over known */
  flags: 7,
  pickupPreService: 8,
  pickupPostService: 9,
  dropoffPreService: 10,
  dropoffPostService: 11,
  placedAt: 12,
} as const;
export const ORDER_COLUMNS = 13;
export const KnownFlag = { ready: 1, pickupWait: 2, handover: 4 } as const;

/** Columns of `places` (INT32): whole metres from the round's origin, and the zone of the travel matrix or -1. */
export const PlaceColumn = { x: 0, y: 1, zone: 2 } as const;
export const PLACE_COLUMNS = 3;

/** Columns of `order_features` (FP32). */
export const OrderFeatureColumn = {
  merchantMeanPrepMinutes: 0,
  merchantStdPrepMinutes: 1,
  merchantOpenOrders: 2,
  itemCount: 3,
  elapsedSincePlacedMinutes: 4,
  pickupWaitMeanMinutes: 5,
  handoverMeanMinutes: 6,
  dropoffFloor: 7,
} as const;
export const ORDER_FEATURE_COLUMNS = 8;

/**
 * A row of `candidates` (UINT16): courier row, then the order rows of the bundle, then NO_ROW up to the
 * width. A base row has no orders: it costs the courier's held plan alone and stands first among that
 * courier's rows in every shard in which a courier with held orders stands.
 */
export const CandidateColumn = { courier: 0, firstOrder: 1 } as const;

/**
 * Stop numbers of a candidate's plan, 1..m, before it is ordered: held orders in the order of `held`,
 * then the bundle in row order; for each order its pickup stop (unless on board), then its drop-off.
 * With `mergePickups`, an order not on board whose pickup place row equals that of an earlier order of
 * the same group joins that stop instead of opening one; groups are (held) and (bundle), or all orders
 * together with `interleave`. A merged stop is ready when its last order is, and takes the largest
 * pre-service and post-service of its orders. Without `interleave` every held stop comes before any
 * stop of the bundle. Trip by trip, an order of the bundle whose pickup place differs from that of the order
 * before it in the row begins another trip: a group of its own, all of whose stops come after those before it.
 */

/**
 * The walk: t = startAt at the courier's place. For each stop: arrive = t + travel; served = arrive +
 * preService; at a pickup served = max(served, ready) and served ≤ latestPickupAt of the courier; at a
 * drop-off served ≤ latestDropoffAt, late += max(0, served − promised), fresh += served − ready; t =
 * served + postService. Load in size units stays ≤ capacity (orders on board count from the start).
 * cost = wLateness·late + wDuration·(t_end − startAt) + wFreshness·fresh, INT64. Among equal costs the
 * lexicographically smallest sequence of stop numbers.
 * Travel between places a, b: distance = ceil(sqrt(dx² + dy²)) metres; seconds = quantum ·
 * ceil(distance · 3600 · factor / (metresPerHour · 1000 · quantum)), or the matrix's seconds times
 * factor / 1000 rounded up to the quantum; factor is the vehicle's ride factor per mille.
 */

/** Outputs, each [1, …]. */
export const shardOutputs = {
  /** UINT8 [1, candidates·PLAN_RECORD_BYTES] */
  plans: 'UINT8',
  /** INT32 [1, orders·ORDER_TIME_COLUMNS] */
  order_times: 'INT32',
  /** INT32 [1, 4] per mille by vehicle class */
  ride_factors: 'INT32',
  /** INT64 [1, 2] Unix nanoseconds at which the backend started and ended on this request */
  interval: 'INT64',
  /** INT64 [1, PHASE_VALUES] Unix nanoseconds, see Phase */
  phases: 'INT64',
} as const;

/** Where the begin of each phase is in `phases`; its end follows. Both are 0 where it didn't happen. */
export const Phase = { copyIn: 0, etr: 2, planning: 4, copyOut: 6 } as const;
export const PHASE_VALUES = 8;

/** A plan record: one candidate's result, with round-wide indices. Byte offsets. */
export const PlanRecord = {
  /** UINT16 index into round.couriers */
  courier: 0,
  /** UINT8 new orders in the bundle (0 for a base row) */
  orderCount: 2,
  /** UINT8 */
  flags: 3,
  /** UINT16[6] indices into round.orders, NO_ROW beyond orderCount */
  orders: 4,
  /** INT64 */
  cost: 16,
  /** UINT64: stop number − 1 in 4 bits each, first stop in the lowest bits; the count of stops follows from the candidate */
  stops: 24,
} as const;
export const PLAN_RECORD_BYTES = 32;
export const PlanFlag = { feasible: 1, unproven: 2 } as const;

/** Columns of `order_times` (INT32): the times that the plans used, for the orders of the shard. */
export const OrderTimeColumn = {
  roundIndex: 0,
  readyAt: 1,
  pickupPostService: 2,
  dropoffPostService: 3,
} as const;
export const ORDER_TIME_COLUMNS = 4;

/** The network of ETR: input `features` FP32 [N, 20], output `quantiles` FP32 [N, 8]. */
export const EtrFeature = {
  /** 1 for a row that asks for a vehicle's ride factor, 0 for an order's row */
  isLegRow: 0,
  sinTimeOfDay: 1,
  cosTimeOfDay: 2,
  isWeekend: 3,
  rain: 4,
  traffic: 5,
  /** the eight columns of order_features; 0 in leg rows */
  orderFeatures: 6,
  /** straight distance from pickup to drop-off; 0 in leg rows */
  directKilometres: 14,
  /** one-hot by vehicle class; 0 in order rows */
  vehicle: 15,
  reserved: 19,
} as const;
export const ETR_FEATURES = 20;
/** Seconds (preparation from placement, pickup wait, hand-over) and a ratio (ride factor). */
export const EtrOutput = {
  prepP50: 0,
  prepP90: 1,
  waitP50: 2,
  waitP90: 3,
  handoverP50: 4,
  handoverP90: 5,
  rideP50: 6,
  rideP90: 7,
} as const;
export const ETR_OUTPUTS = 8;
