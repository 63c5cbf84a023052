import type { Seconds } from '#schemas/brands';
import type { RoundPolicy, Travel } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import { MAX_BUNDLE_ORDERS } from '#schemas/tensors';
import type { Fields } from './fields';
import {
  MAX_EXTENT_METRES,
  MAX_INDEXED,
  MAX_METRES_PER_HOUR,
  MAX_PENALTY,
  MAX_PENALTY_PER_DEFERRAL,
  MAX_RELATIVE_TIME,
  MAX_WEIGHT,
  MIN_METRES_PER_HOUR,
} from './limits';

/** docs/producer-api.md lists them. */
const defaultMetresPerHour = { walk: 5_000, bike: 15_000, scooter: 20_000, car: 20_000 };
const secondsADay = 86_400;
const farthest = { min: 0, max: 2 * MAX_EXTENT_METRES };

function readSpeeds(fields: Fields) {
  return fields.object('metresPerHour', (speeds) => {
    const read = vehicles.map((vehicle) => {
      const range = { min: 0, max: MAX_METRES_PER_HOUR };
      const speed = speeds.integer(vehicle, range, defaultMetresPerHour[vehicle]);
      if (speed > 0 && speed < MIN_METRES_PER_HOUR) {
        speeds.fault(vehicle, speed, `0 (not in this round) or at least ${MIN_METRES_PER_HOUR}`);
      }
      return [vehicle, speed] as const;
    });
    return Object.fromEntries(read) as Record<(typeof vehicles)[number], number>;
  });
}

function readContentHash(fields: Fields): string {
  const value = fields.raw('contentHash');
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  fields.fault('contentHash', value, 'a SHA-256 in 64 lower-case hexadecimal digits');
  return '0'.repeat(64);
}

function readTravel(fields: Fields): Travel {
  return fields.object('travel', (travel) => {
    const kind = travel.oneOf('kind', ['speed', 'matrix'], 'speed');
    const quantumSeconds = travel.integer('quantumSeconds', { min: 1, max: 3_600 }, 1) as Seconds;
    const known = travel.boolean('known', false);
    return kind === 'speed'
      ? { kind, metresPerHour: readSpeeds(travel), quantumSeconds, known }
      : { kind, contentHash: readContentHash(travel), quantumSeconds, known };
  });
}

function readWeights(fields: Fields): RoundPolicy['weights'] {
  const range = { min: 0, max: MAX_WEIGHT };
  return fields.object('weights', (weights) => ({
    lateness: weights.integer('lateness', range, 10),
    duration: weights.integer('duration', range, 1),
    freshness: weights.integer('freshness', range, 1),
  }));
}

function readBundles(fields: Fields): RoundPolicy['bundles'] {
  return fields.object('bundles', (bundles) => ({
    maxOrders: bundles.integer('maxOrders', { min: 1, max: MAX_BUNDLE_ORDERS }, 2),
    maxReadySpreadSeconds: bundles.integer(
      'maxReadySpreadSeconds',
      { min: 0, max: MAX_RELATIVE_TIME },
      600,
    ) as Seconds,
    maxDropoffSpreadMetres: bundles.integer('maxDropoffSpreadMetres', farthest, 2_000),
    disjoint: bundles.boolean('disjoint', false),
  }));
}

function readPenalty(fields: Fields): RoundPolicy['unassignedPenalty'] {
  return fields.object('unassignedPenalty', (penalty) => ({
    base: penalty.integer('base', { min: 0, max: MAX_PENALTY }, 50_000),
    perDeferral: penalty.integer('perDeferral', { min: 0, max: MAX_PENALTY_PER_DEFERRAL }, 10_000),
  }));
}

const modulo = (value: number, by: number) => ((value % by) + by) % by;

/** By default asOf is read as seconds since 1970 in UTC: its time of day, and its day (a Thursday first). */
function readContext(fields: Fields, asOf: number): RoundPolicy['context'] {
  // The engine refuses more.
  const perMille = { min: 0, max: 1_000 };
  const day = modulo(Math.floor(asOf / secondsADay) + 3, 7);
  return fields.object('context', (context) => ({
    secondsOfDay: context.integer(
      'secondsOfDay',
      { min: 0, max: secondsADay - 1 },
      modulo(asOf, secondsADay),
    ) as Seconds,
    dayOfWeek: context.integer('dayOfWeek', { min: 0, max: 6 }, day),
    rainPerMille: context.integer('rainPerMille', perMille, 0),
    trafficPerMille: context.integer('trafficPerMille', perMille, 0),
  }));
}

function readHorizon(fields: Fields): Seconds | null {
  if (fields.has('commitHorizonSeconds')) {
    return fields.integer('commitHorizonSeconds', { min: 0, max: MAX_RELATIVE_TIME }) as Seconds;
  }
  fields.raw('commitHorizonSeconds');
  return null;
}

function readModelLabel(fields: Fields, present: readonly RoundPolicy['modelLabel'][]) {
  const label = fields.oneOf('modelLabel', ['stable', 'canary'], 'stable');
  if (!present.includes(label)) {
    fields.fault('modelLabel', label, `a label of the model repository: ${present.join(', ')}`);
  }
  return label;
}

function readChains(fields: Fields): RoundPolicy['chains'] {
  return fields.object('chains', (chains) => ({
    maxTrips: chains.integer('maxTrips', { min: 1, max: MAX_BUNDLE_ORDERS }, 3),
    maxOrders: chains.integer('maxOrders', { min: 1, max: MAX_BUNDLE_ORDERS }, MAX_BUNDLE_ORDERS),
  }));
}

function readPrepositioning(fields: Fields): RoundPolicy['prepositioning'] {
  const range = { min: 0, max: MAX_RELATIVE_TIME };
  return fields.object('prepositioning', (rule) => ({
    maxRideSeconds: rule.integer('maxRideSeconds', range, 900) as Seconds,
    minShiftLeftSeconds: rule.integer('minShiftLeftSeconds', range, 600) as Seconds,
  }));
}

/** What a round has only where it says so. */
function readOptional(fields: Fields): Pick<RoundPolicy, 'chains' | 'uncoveredOrderCost' | 'prepositioning'> {
  const uncovered = fields.integer('uncoveredOrderCost', { min: 0, max: MAX_PENALTY }, 0);
  const has = { chains: fields.has('chains'), prepositioning: fields.has('prepositioning') };
  const read = { chains: readChains(fields), prepositioning: readPrepositioning(fields) };
  return {
    ...(has.chains && { chains: read.chains! }),
    ...(uncovered > 0 && { uncoveredOrderCost: uncovered }),
    ...(has.prepositioning && { prepositioning: read.prepositioning! }),
  };
}

/** Trips of a chain are neither mixed with other stops nor of several pickups. */
function checkChains(fields: Fields, { chains, interleave, mergePickups }: RoundPolicy): void {
  if (chains === undefined) return;
  if (interleave) fields.fault('interleave', true, 'false with chains');
  if (!mergePickups) fields.fault('mergePickups', false, 'true with chains');
}

export function readPolicy(
  fields: Fields,
  asOf: number,
  modelLabels: readonly RoundPolicy['modelLabel'][] = ['stable', 'canary'],
): RoundPolicy {
  const policy: RoundPolicy = {
    weights: readWeights(fields),
    travel: readTravel(fields),
    candidateRadiusMetres: fields.integer('candidateRadiusMetres', farthest, 5_000),
    couriersPerBundle: fields.integer('couriersPerBundle', { min: 1, max: MAX_INDEXED }, 10),
    bundles: readBundles(fields),
    interleave: fields.boolean('interleave', true),
    mergePickups: fields.boolean('mergePickups', true),
    unassignedPenalty: readPenalty(fields),
    reshuffleCost: fields.integer('reshuffleCost', { min: 0, max: MAX_PENALTY }, 300),
    quantile: fields.oneOf('quantile', ['p50', 'p90'], 'p50'),
    modelLabel: readModelLabel(fields, modelLabels),
    commitHorizonSeconds: readHorizon(fields),
    context: readContext(fields, asOf),
    ...readOptional(fields),
  };
  checkChains(fields, policy);
  return policy;
}
