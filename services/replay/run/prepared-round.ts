import type { TravelMatrices } from '#lib/travel-matrices';
import { cutRound } from '#policy/sharding/index';
import type { UnixMs } from '#schemas/brands';
import type { ModelRef, RoundManifest, Shard } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import type { RecordedRound } from '../recording/recorded-round';
import { changedPolicy } from './changed-policy';
import {
  allArrive,
  isCutAlike,
  recordedArrivals,
  replayedRound,
  type Arrivals,
  type RunIds,
} from './replay-plan';
import type { RunSettings } from './run-settings';

/** A round ready to be solved again. */
export interface PreparedRound {
  readonly recorded: RecordedRound;
  readonly manifest: RoundManifest;
  readonly shards: readonly Shard[];
  readonly arrivals: Arrivals;
  /** It was cut in another way than it is now: with other code, settings or policy. */
  readonly cutDiffers: boolean;
}

export interface Preparation {
  readonly settings: RunSettings;
  readonly runIds: RunIds;
  readonly matrices: TravelMatrices;
  modelsOf(label: 'stable' | 'canary'): readonly ModelRef[];
}

function modelsOfRound(
  { manifest }: RecordedRound,
  { settings, modelsOf }: Preparation,
): readonly ModelRef[] {
  const isCut = manifest.models.length > 0;
  if (settings.models === 'recorded') return isCut ? manifest.models : modelsOf('stable');
  return modelsOf(settings.models);
}

/** Cuts the round anew, as ingest does. Throws RoundhouseError where it can't be cut. */
export function prepareRound(
  recorded: RecordedRound,
  deadline: UnixMs,
  preparation: Preparation,
): PreparedRound {
  const { settings, runIds, matrices } = preparation;
  const original = recorded.manifest.round;
  const policy = settings.policy === null ? original.policy : changedPolicy(original, settings.policy);
  const round = { ...replayedRound(original, runIds.of(original.runId), deadline), policy };
  const matrix = policy.travel.kind === 'matrix' ? matrices.find(policy.travel.contentHash) : undefined;
  if (policy.travel.kind === 'matrix' && matrix === undefined) {
    throw new RoundhouseError('TRAVEL_MATRIX_UNKNOWN', `no travel matrix ${policy.travel.contentHash}`);
  }
  const { manifest, shards } = cutRound(round, modelsOfRound(recorded, preparation), {
    ...settings.cut,
    ...(matrix && { matrix }),
  });
  const wasCut = recorded.manifest.models.length > 0;
  const cutDiffers = wasCut && !isCutAlike(manifest, recorded.manifest);
  const known = settings.arrivals === 'recorded' && !cutDiffers ? recordedArrivals(recorded) : null;
  return { recorded, manifest, shards, arrivals: known ?? allArrive(shards.length), cutDiffers };
}
