import type { Seconds } from '#schemas/brands';
import type { RoundPolicy } from '#schemas/domain';
import { metresPerHour } from './mdrp-day';
import type { MdrpParameters } from './instance';

const seconds = (value: number) => value as Seconds;
const MINUTE = 60;

/**
 * The one policy for all days of the benchmark. A plan costs the seconds from ready to door of its orders,
 * which is all that a dispatcher can change of click-to-door. Leaving an order out costs an hour, and for
 * every round left out the time of that round: what an old order has waited already then stands on both
 * sides, and it is not passed over for it. An assignment is final when courier and meals are there by the
 * time at which the courier of the next round could hand over at the earliest: f and the walk-in.
 */
export function mdrpPolicy(
  parameters: MdrpParameters,
  { roundMinutes, prepositioning }: { readonly roundMinutes: number; readonly prepositioning: boolean },
): RoundPolicy {
  const car = metresPerHour(parameters);
  return {
    weights: { lateness: 0, duration: 0, freshness: 1 },
    travel: {
      kind: 'speed',
      metresPerHour: { walk: 0, bike: 0, scooter: 0, car },
      quantumSeconds: seconds(MINUTE),
      known: true,
    },
    candidateRadiusMetres: car,
    couriersPerBundle: 30,
    bundles: {
      maxOrders: 4,
      maxReadySpreadSeconds: seconds(15 * MINUTE),
      maxDropoffSpreadMetres: parameters.metresPerMinute * 15,
      disjoint: false,
    },
    interleave: false,
    mergePickups: true,
    unassignedPenalty: { base: 60 * MINUTE, perDeferral: roundMinutes * MINUTE },
    reshuffleCost: 0,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: seconds((roundMinutes + parameters.pickupServiceMinutes / 2) * MINUTE),
    chains: { maxTrips: 4, maxOrders: 6 },
    uncoveredOrderCost: 3 * MINUTE,
    context: { secondsOfDay: seconds(0), dayOfWeek: 0, rainPerMille: 0, trafficPerMille: 0 },
    ...(prepositioning && {
      prepositioning: {
        maxRideSeconds: seconds(12 * MINUTE),
        minShiftLeftSeconds: seconds(10 * MINUTE),
      },
    }),
  };
}
