import { quantile } from '#policy/simulation/statistics';
import type { Placement } from '#services/inference-worker/placement/placement';
import { play } from './play';
import type { TracedShard } from './trace';

/** Milliseconds of each phase of a shard that is alone. */
export type SoloTimes = Readonly<Record<string, number>>;

const repeats = 5;
export const devicePhases = ['copyIn', 'etr', 'or', 'copyOut'] as const;

export function soloKey({ model, template }: Pick<TracedShard, 'model' | 'template'>): string {
  return `${model}/${template.size}`;
}

/** Of each kind of shard in `samples`, one at a time, medians. */
export async function soloTimes(
  placement: Placement,
  samples: readonly TracedShard[],
): Promise<ReadonlyMap<string, SoloTimes>> {
  const times = new Map<string, SoloTimes>();
  for (const sample of samples) {
    const runs: Record<string, number>[] = [];
    for (let run = 0; run <= repeats; run += 1) {
      const [played] = await play([sample], { placement });
      const took = played!.spans.map(
        ({ phase, startNs, endNs }) => [phase, Number(endNs - startNs) / 1e6] as const,
      );
      if (run > 0) runs.push(Object.fromEntries(took));
    }
    const median = (phase: string): number =>
      quantile(
        runs.map((one) => one[phase] ?? 0),
        0.5,
      );
    times.set(soloKey(sample), Object.fromEntries(devicePhases.map((phase) => [phase, median(phase)])));
  }
  return times;
}

export interface Bound {
  /** Of all shards of the trace, each alone. */
  readonly phasesMs: SoloTimes;
  /** How much faster than one shard after the other it could be if the phases went side by side: sum over longest. */
  readonly speedUp: number;
  /** No candidate a second more than this on one device, if a shard alone fills it. */
  readonly candidatesPerSecond: number;
  /** ETR's time over OR's, of each model. */
  readonly etrToOr: Readonly<Record<string, number>>;
}

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

export function boundOf(trace: readonly TracedShard[], solo: ReadonlyMap<string, SoloTimes>): Bound {
  const sum = (phase: string, model?: string): number =>
    trace
      .filter((shard) => model === undefined || shard.model === model)
      .reduce((ms, shard) => ms + (solo.get(soloKey(shard))?.[phase] ?? 0), 0);
  const phasesMs = devicePhases.map((phase) => [phase, round(sum(phase))] as const);
  const all = phasesMs.reduce((ms, [, each]) => ms + each, 0);
  const longest = Math.max(...phasesMs.map(([, ms]) => ms));
  const candidates = trace.reduce((total, { template }) => total + template.size, 0);
  const models = [...new Set(trace.map(({ model }) => model))].sort();
  return {
    phasesMs: Object.fromEntries(phasesMs),
    speedUp: round(all / longest),
    candidatesPerSecond: Math.round((1_000 * candidates) / longest),
    etrToOr: Object.fromEntries(models.map((model) => [model, round(sum('etr', model) / sum('or', model))])),
  };
}
