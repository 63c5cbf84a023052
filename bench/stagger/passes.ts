import type { PhaseSpan } from '#services/inference-worker/scheduling/answer-times';
import { play } from './play';
import { aloneWay, models, type Prepared } from './prepare';
import { devicePhases, type SoloTimes } from './solo';
import { candidatesOf, type TracedShard } from './trace';
import type { WorkerEngines } from './worker-engines';

/** max_batch_size of candidate_cost. */
const fullPass = 8;

export interface PassBound {
  /** Of the trace in full passes, one pass at a time on a GPU of its own. */
  readonly phasesMs: SoloTimes;
  readonly passes: number;
  /** One pass after the other. */
  readonly serialCandidatesPerSecond: number;
  /** As if all phases but the longest cost nothing. */
  readonly candidatesPerSecond: number;
  /** Sum over longest. */
  readonly speedUp: number;
  /** Mean milliseconds of a pass of each model, by phase. */
  readonly meanMs: Readonly<Record<string, SoloTimes>>;
}

function groupsOf(trace: readonly TracedShard[]): TracedShard[][] {
  return models.flatMap((model) => {
    const own = trace.filter((shard) => shard.model === model);
    const starts = Array.from({ length: Math.ceil(own.length / fullPass) }, (_, group) => fullPass * group);
    return starts.map((start) => own.slice(start, start + fullPass));
  });
}

type Sums = Record<string, number>;
const noTime = (): Sums => Object.fromEntries(devicePhases.map((phase) => [phase, 0]));

/** Requests that passed a phase together tell the same span: it counts once. */
function addSpans(sums: Sums, spans: readonly PhaseSpan[]): void {
  const once = new Map(spans.map((span) => [`${span.phase} ${span.startNs} ${span.endNs}`, span]));
  for (const { phase, startNs, endNs } of once.values())
    sums[phase] = (sums[phase] ?? 0) + Number(endNs - startNs) / 1e6;
}

const rounded = (sums: Sums, over = 1): SoloTimes =>
  Object.fromEntries(Object.entries(sums).map(([phase, ms]) => [phase, Number((ms / over).toFixed(3))]));

/** What a scheduler could reach at most that had the phases of full passes side by side, and nobody disturbing another. */
export async function passBound(
  worker: WorkerEngines,
  prepared: Prepared,
  trace: readonly TracedShard[],
): Promise<PassBound> {
  const placement = worker.placedBy('fifo');
  const byModel: Record<string, { sums: Sums; passes: number }> = {};
  const all = noTime();
  const groups = groupsOf(trace);
  for (const group of groups) {
    const patient = group.map((shard) => ({ ...shard, atMs: 0, deadlineMs: 60_000 }));
    const played = await play(prepared.inWay(patient, aloneWay), { placement });
    const own = (byModel[group[0]!.model] ??= { sums: noTime(), passes: 0 });
    own.passes += 1;
    const spans = played.flatMap((one) => one.spans);
    addSpans(own.sums, spans);
    addSpans(all, spans);
  }
  const sum = Object.values(all).reduce((total, ms) => total + ms, 0);
  const longest = Math.max(...Object.values(all));
  const perSecond = (ms: number): number => Math.round((1_000 * candidatesOf(trace)) / ms);
  return {
    phasesMs: rounded(all),
    passes: groups.length,
    serialCandidatesPerSecond: perSecond(sum),
    candidatesPerSecond: perSecond(longest),
    speedUp: Number((sum / longest).toFixed(3)),
    meanMs: Object.fromEntries(
      Object.entries(byModel).map(([model, { sums, passes }]) => [model, rounded(sums, passes)]),
    ),
  };
}
