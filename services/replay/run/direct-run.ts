import { errorText } from '#lib/command-line';
import type { TravelMatrices } from '#lib/travel-matrices';
import { decisionRecord } from '#policy/join/decision-record';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import type { RecordedRound } from '../recording/recorded-round';
import { solveDirectly, type ShardCoster } from './direct-solver';
import { inOrder } from './places';
import { prepareRound, type PreparedRound, type Preparation } from './prepared-round';
import { leftOutCost, type ReplayedRound } from './replayed-round';

export interface DirectRun {
  readonly rounds: Iterable<RecordedRound>;
  readonly preparation: Preparation;
  readonly coster: ShardCoster;
  readonly matrices: TravelMatrices;
  /** While one is decided, the engine has shards of the others. */
  readonly atOnce: number;
  readonly signal: AbortSignal;
}

/** Faults of one round; what concerns all of them ends the run. */
const endsTheRun: readonly string[] = ['ENGINE_LOST', 'DEVICE_FAULT', 'CONFIG_INVALID'];

export function sourceOf({ manifest, decision }: RecordedRound) {
  const { tenantId, runId: sourceRunId, roundId } = manifest.round;
  return { tenantId, sourceRunId, roundId, recordedHash: decision?.decision.contentHash ?? null };
}

export function failedRound(recorded: RecordedRound, error: unknown, solveMs: number): ReplayedRound {
  if (error instanceof RoundhouseError && endsTheRun.includes(error.code)) throw error;
  return {
    ...sourceOf(recorded),
    cutDiffers: false,
    appendedAt: null,
    solveMs,
    leftOutCost: 0n,
    decision: null,
    error: errorText(error),
  };
}

/** The rounds of a recording in this process, in its order: no clock, so nothing is late. */
export function directRun(run: DirectRun): AsyncGenerator<ReplayedRound> {
  const { preparation, coster, matrices, signal } = run;
  return inOrder(run.rounds, run.atOnce, async (recorded) => {
    signal.throwIfAborted();
    const startedAt = performance.now();
    try {
      const { deadline } = recorded.manifest.round;
      const round = prepareRound(recorded, deadline, preparation);
      const decision = decisionRecord(round.manifest.round, await solveDirectly(round, coster, matrices));
      return {
        ...replayed(round, performance.now() - startedAt),
        decision,
        ...costsOf(round, decision.content),
      };
    } catch (error) {
      signal.throwIfAborted();
      return failedRound(recorded, error, performance.now() - startedAt);
    }
  });
}

function replayed({ recorded, cutDiffers }: PreparedRound, solveMs: number) {
  return { ...sourceOf(recorded), cutDiffers, appendedAt: null as UnixMs | null, solveMs, error: null };
}

export function costsOf({ manifest }: PreparedRound, content: Parameters<typeof leftOutCost>[1]) {
  return { leftOutCost: leftOutCost(manifest.round, content) };
}
