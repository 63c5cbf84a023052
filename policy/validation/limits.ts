import type { RoundPolicy } from '#schemas/domain';
import type { TravelMatrix } from '../routing/index';

/** What service configuration bounds; the policy of a round may ask for less. */
export interface RoundLimits {
  readonly maxCouriers: number;
  readonly maxOrders: number;
  /** A deadline is at least this far ahead, and at most `maxDeadlineAheadMs`. */
  readonly minLeadMs: number;
  readonly maxDeadlineAheadMs: number;
  /** A travel matrix by content hash; undefined where it is not in the model repository. */
  readonly matrixOf?: (contentHash: string) => TravelMatrix | undefined;
  /** Labels that the model repository has; all where absent. */
  readonly modelLabels?: readonly RoundPolicy['modelLabel'][];
}

export const defaultRoundLimits: RoundLimits = {
  maxCouriers: 2_000,
  maxOrders: 5_000,
  minLeadMs: 150,
  maxDeadlineAheadMs: 3_600_000,
};

/** Tensors carry indices in 16 bits, 0xffff standing for none. */
export const MAX_INDEXED = 65_534;

/** Domain times are exact in every codec within ±2^47 seconds. */
export const MAX_TIME = 2 ** 47;
/**
 * No clock of seconds is as late as this (the year 5138), one that begins at zero still less, and one of milliseconds
 * was in 1973.
 */
export const SECONDS_END = 100_000_000_000;
/**
 * Times lie within 2^30 s of asOf. With legs of at most 1,000 km at 500 m/h and services of a day, a
 * plan of 16 stops then ends within int32; and with weights up to a million a cost stays below
 * 3 · 10^6 · 8 · 2^32 ≈ 10^17, far inside int64.
 */
export const MAX_RELATIVE_TIME = 2 ** 30;
export const MAX_SERVICE_SECONDS = 86_400;
export const MAX_WEIGHT = 1_000_000;
export const MIN_METRES_PER_HOUR = 500;
export const MAX_METRES_PER_HOUR = 1_000_000;
/** 10^12 + 10^5 · 10^9 a round's 65,534 orders stay below 2^63. */
export const MAX_PENALTY = 1e12;
export const MAX_PENALTY_PER_DEFERRAL = 1e9;
export const MAX_DEFERRALS = 100_000;
/** No point of a round is farther than this from its middle. */
export const MAX_EXTENT_METRES = 1_000_000;
export const MAX_PLANAR = 20_000_000;
export const MAX_SKILLS = 32;
export const MAX_UNITS = 1_000_000;
export const MAX_TRAVEL_ZONE = 4_095;
export const MAX_DEMAND_PLACES = 2_000;
