import type { DecisionContent } from '#schemas/domain';
import { recordingInvalid, type ReadOptions } from '../container/container-reader';
import { isRecording } from '../recording/recording-writer';
import { openRecording } from '../recording/recording-reader';
import type { RecordedRound } from '../recording/recorded-round';
import { leftOutCost, type ReplayedRound } from '../run/replayed-round';
import { isRun, readRun, readRunManifest } from '../run/run-writer';

/** What one side says of a round. */
export interface SideRound {
  /** Tenant, run of the recording, round. */
  readonly key: string;
  readonly roundId: string;
  readonly zoneId: string;
  readonly content: DecisionContent | null;
  readonly contentHash: string | null;
  /** Behind its deadline on Kafka; null where no time is known. */
  readonly lateByMs: number | null;
  /** From its append to that of its decision; of a run, from its first shard to its decision. */
  readonly tookMs: number | null;
  readonly leftOutCost: bigint;
  /** Why there is no decision. */
  readonly error: string | null;
}

export interface Side {
  readonly folder: string;
  readonly kind: 'recording' | 'run';
  rounds(): Generator<SideRound>;
}

export const keyOf = (tenantId: string, runId: string, roundId: string): string =>
  [tenantId, runId, roundId].join('\u001f');

export function ofRecording({ appendedAt, manifest, decision }: RecordedRound): SideRound {
  const { tenantId, runId, roundId, zoneId } = manifest.round;
  const ids = { key: keyOf(tenantId, runId, roundId), roundId, zoneId };
  if (decision === null) return { ...ids, ...undecided('none was recorded') };
  const { content, contentHash, deadline } = decision.decision;
  return {
    ...ids,
    content,
    contentHash,
    lateByMs: decision.appendedAt - deadline,
    tookMs: decision.appendedAt - appendedAt,
    leftOutCost: leftOutCost(manifest.round, content),
    error: null,
  };
}

export function ofRun(round: ReplayedRound): SideRound {
  const { tenantId, sourceRunId, roundId, decision, appendedAt, error } = round;
  const ids = { key: keyOf(tenantId, sourceRunId, roundId), roundId, zoneId: decision?.zoneId ?? '' };
  if (decision === null) return { ...ids, ...undecided(error ?? 'none') };
  const { content, contentHash, deadline } = decision;
  const lateByMs = appendedAt === null ? null : appendedAt - deadline;
  const { leftOutCost: left, solveMs: tookMs } = round;
  return { ...ids, content, contentHash, lateByMs, tookMs, leftOutCost: left, error: null };
}

function undecided(error: string): Omit<SideRound, 'key' | 'roundId' | 'zoneId'> {
  return { content: null, contentHash: null, lateByMs: null, tookMs: null, leftOutCost: 0n, error };
}

function* mapped<T, R>(items: Iterable<T>, to: (item: T) => R): Generator<R> {
  for (const item of items) yield to(item);
}

/** A recording or a run; throws RECORDING_INVALID where the folder is neither. */
export function openSide(folder: string, options: ReadOptions): Side {
  if (isRun(folder)) {
    readRunManifest(folder);
    return { folder, kind: 'run', rounds: () => mapped(readRun(folder, options), ofRun) };
  }
  if (!isRecording(folder))
    throw recordingInvalid(`${folder} is neither a recording nor a run: no recording.json or run.json`);
  const recording = openRecording(folder);
  return { folder, kind: 'recording', rounds: () => mapped(recording.rounds(options), ofRecording) };
}
