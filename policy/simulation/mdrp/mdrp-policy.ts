import type { Seconds } from '#schemas/brands';
import type { RoundPolicy } from '#schemas/domain';
import { metresPerHour } from './mdrp-day';
import type { MdrpParameters } from './instance';

const seconds = (value: number) => value as Seconds;
const MINUTE = 60;

/** A minute of an order's waiting; all other costs are in relation to it. */
const freshness = 50;

/**
 * The one policy for all days of the benchmark. The plan's cost is the sum of ready-to-door (what the
 * dispatcher can change of click-to-door) and a trace of courier time that decides between equals.
 * Leaving an order out costs an hour, and for every round left out the time of that round: what an old
 * order has waited already then stands on both sides, and it is not passed over for it.
 */
export function mdrpPolicy(parameters: MdrpParameters, roundMinutes: number): RoundPolicy {
  const car = metresPerHour(parameters);
  return {
    weights: { lateness: 0, duration: 1, freshness },
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
    unassignedPenalty: {
      base: 60 * MINUTE * freshness,
      perDeferral: roundMinutes * MINUTE * freshness,
    },
    reshuffleCost: 0,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: seconds(roundMinutes * MINUTE),
    context: { secondsOfDay: seconds(0), dayOfWeek: 0, rainPerMille: 0, trafficPerMille: 0 },
  };
}
