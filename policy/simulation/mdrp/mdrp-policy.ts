import type { Seconds } from '#schemas/brands';
import type { RoundPolicy } from '#schemas/domain';
import { metresPerHour } from './mdrp-day';
import type { MdrpParameters } from './instance';

const seconds = (value: number) => value as Seconds;
const MINUTE = 60;

/** Cost of a second from ready to door. */
const SECOND = 5;

/**
 * The one policy for all days of the benchmark. A plan costs the seconds from ready to door of its orders, which is
 * all that a dispatcher can change of click-to-door, and a fifth more for each second above the target. Leaving an
 * order out costs four hours, however long it has waited: next to no order is worth that. An order that a courier's
 * guaranteed pay doesn't cover may cost a minute of waiting elsewhere.
 */
export function mdrpPolicy(
  parameters: MdrpParameters,
  { roundMinutes, prepositioning }: { readonly roundMinutes: number; readonly prepositioning: boolean },
): RoundPolicy {
  const car = metresPerHour(parameters);
  return {
    weights: { lateness: 1, duration: 0, freshness: SECOND },
    travel: {
      kind: 'speed',
      metresPerHour: { walk: 0, bike: 0, scooter: 0, car },
      quantumSeconds: seconds(MINUTE),
      known: true,
    },
    candidateRadiusMetres: car,
    couriersPerBundle: 4,
    bundles: {
      maxOrders: 6,
      maxReadySpreadSeconds: seconds(30 * MINUTE),
      maxDropoffSpreadMetres: parameters.metresPerMinute * 30,
      disjoint: false,
    },
    interleave: false,
    mergePickups: true,
    unassignedPenalty: { base: 240 * MINUTE * SECOND, perDeferral: 0 },
    reshuffleCost: 0,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: seconds(roundMinutes * MINUTE),
    chains: { maxTrips: 4, maxOrders: 6 },
    uncoveredOrderCost: MINUTE * SECOND,
    context: { secondsOfDay: seconds(0), dayOfWeek: 0, rainPerMille: 0, trafficPerMille: 0 },
    ...(prepositioning && {
      prepositioning: {
        maxRideSeconds: seconds(12 * MINUTE),
        minShiftLeftSeconds: seconds(10 * MINUTE),
      },
    }),
  };
}
