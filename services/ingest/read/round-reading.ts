import { createHash } from 'node:crypto';
import {
  validateRound,
  type RoundLimits,
  type RoundValidation,
  type SequenceOrigin,
} from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import type { DispatchRound, RoundPolicy } from '#schemas/domain';
import type { Phases } from '#schemas/phases';
import { type PhaseClock } from '#schemas/phases';

/** What the way of a round through ingest needs to know of it. */
export type RoundEnvelope = Pick<
  DispatchRound,
  'tenantId' | 'runId' | 'roundId' | 'zoneId' | 'sequence' | 'deadline'
>;

type Invalid = Extract<RoundValidation, { kind: 'invalid' }>;
type Expired = Extract<RoundValidation, { kind: 'expired' }>;

/** What was found of a submission; its round stays where it was read. */
export type RoundReading = Invalid | Found;

interface Found {
  readonly kind: 'valid' | 'expired';
  readonly envelope: RoundEnvelope;
  /** Why it is expired. */
  readonly faults: Expired['faults'];
  readonly contentHash: string;
  /** The label that the round names itself. */
  readonly namedLabel: RoundPolicy['modelLabel'] | undefined;
  readonly phases: Phases;
}

export interface ReadingJob {
  readonly now: UnixMs;
  readonly limits: RoundLimits;
  /** What the request names as its tenant. */
  readonly tenant: string | undefined;
}

export interface ReadRound {
  readonly reading: RoundReading;
  /** Null for an invalid one. */
  readonly round: DispatchRound | null;
}

/** What can be said of a body before the hash of its content is known. */
export type FoundRound =
  | { readonly kind: 'invalid'; readonly reading: Invalid }
  | {
      readonly kind: 'found';
      readonly round: DispatchRound;
      readonly sequence: SequenceOrigin;
      readonly reading: Omit<Found, 'contentHash' | 'phases'>;
    };

/** An untrusted body to a round; `clock` has timed what came before. */
export function readRound(body: unknown, job: ReadingJob, clock: PhaseClock): ReadRound {
  const found = findRound(body, job, clock);
  if (found.kind === 'invalid') return { reading: found.reading, round: null };
  const contentHash = contentHashOf(found);
  clock.ends('hash');
  return { reading: { ...found.reading, contentHash, phases: clock.phases }, round: found.round };
}

export function findRound(body: unknown, { now, limits, tenant }: ReadingJob, clock: PhaseClock): FoundRound {
  const result = validateRound(body, now, limits, tenant);
  clock.ends('validate');
  if (result.kind === 'invalid') return { kind: 'invalid', reading: result };
  const { round, sequence, kind } = result;
  const { tenantId, runId, roundId, zoneId, deadline } = round;
  const reading = {
    kind,
    envelope: { tenantId, runId, roundId, zoneId, deadline, sequence: round.sequence },
    faults: result.kind === 'expired' ? result.faults : [],
    namedLabel: namesLabel(body) ? round.policy.modelLabel : undefined,
  };
  return { kind: 'found', round, sequence, reading };
}

/** Of what was submitted: a sequence that the round did not have is another at every submission. */
export function contentHashOf({
  round,
  sequence,
}: Pick<Extract<FoundRound, { kind: 'found' }>, 'round' | 'sequence'>): string {
  const submitted = { ...round, sequence: sequence === 'given' ? String(round.sequence) : null };
  return createHash('sha256').update(JSON.stringify(submitted)).digest('hex');
}

/** The body was found valid. */
function namesLabel(body: unknown): boolean {
  const { policy } = body as { readonly policy?: { readonly modelLabel?: unknown } | null };
  return (policy?.modelLabel ?? null) !== null;
}
