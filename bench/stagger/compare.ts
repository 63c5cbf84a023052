import { quantile } from '#policy/simulation/statistics';
import { schedulerNames, type SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';
import { oneRun, type Run, type RunSettings } from './one-run';
import type { StaggerOptions } from './options';
import { makeRepository } from './repository';
import { boundOf, soloTimes } from './solo';
import { makeTemplates } from './templates';
import { candidatesOf, makeTrace, type TracedShard } from './trace';

export const models = ['light', 'heavy'] as const;

export interface Prepared {
  readonly models: string;
  /** One shard of each kind. */
  readonly kinds: readonly TracedShard[];
  traceOf(burstEveryMs: number): readonly TracedShard[];
}

export function prepare(folder: string, options: StaggerOptions): Prepared {
  const { seed, least, factor, bundleOrders, light, heavy, bursts, deadlineMs } = options;
  const templates = makeTemplates(least, factor, seed, bundleOrders);
  const kinds = models.flatMap((model) =>
    templates.map((template) => ({ id: '0/0/0', atMs: 0, deadlineMs: 60_000, model, template })),
  );
  return {
    models: makeRepository(folder, [
      { name: 'light', hidden: light },
      { name: 'heavy', hidden: heavy },
    ]),
    kinds,
    traceOf: (burstEveryMs) => makeTrace({ seed, bursts, burstEveryMs, deadlineMs, models, templates }),
  };
}

type Figure =
  'candidatesPerSecond' | 'latencyP50Ms' | 'latencyP99Ms' | 'overlap' | 'poolPeakBytes' | 'makespanMs';
const figures: readonly Figure[] = [
  'candidatesPerSecond',
  'latencyP50Ms',
  'latencyP99Ms',
  'overlap',
  'poolPeakBytes',
  'makespanMs',
];
const round = (value: number): number => Number(value.toFixed(3));

export function mediansOf(runs: readonly Run[]): Record<Figure, number> {
  const entries = figures.map((name) => [
    name,
    round(
      quantile(
        runs.map((run) => run[name]),
        0.5,
      ),
    ),
  ]);
  return Object.fromEntries(entries) as Record<Figure, number>;
}

/** Everything at once with `fifo`: what the device does, for the pace of the bursts. */
async function burstEveryMs(
  prepared: Prepared,
  settings: RunSettings,
  options: StaggerOptions,
): Promise<number> {
  const trace = prepared.traceOf(0).map((shard) => ({ ...shard, deadlineMs: 600_000 }));
  const { candidatesPerSecond } = await oneRun(trace, { ...settings, scheduler: 'fifo' });
  console.error(`all at once: ${candidatesPerSecond} candidates/s`);
  if (options.load === 0) return 0;
  return (1_000 * candidatesOf(trace)) / options.bursts / (options.load * candidatesPerSecond);
}

/** `withTurns`: the worker staggers, and phases take turns in the engine. */
type Variant = SchedulerName | 'withTurns';

/** Interleaved runs; the first of a set is another one each time. */
async function interleaved(
  trace: readonly TracedShard[],
  settings: RunSettings,
  { runs, withTurns }: StaggerOptions,
): Promise<Readonly<Record<Variant, Run[]>>> {
  const results: Record<Variant, Run[]> = { fifo: [], staggered: [], withTurns: [] };
  const variants: Variant[] = withTurns ? [...schedulerNames, 'withTurns'] : [...schedulerNames];
  for (let run = 0; run < runs; run += 1) {
    for (const variant of run % 2 === 0 ? variants : variants.toReversed()) {
      const turns = variant === 'withTurns';
      const figures = await oneRun(trace, { ...settings, scheduler: turns ? 'staggered' : variant, turns });
      const { candidatesPerSecond, latencyP99Ms, late } = figures;
      console.error(`${variant}: ${candidatesPerSecond} candidates/s, p99 ${latencyP99Ms} ms, late ${late}`);
      results[variant].push(figures);
    }
  }
  return results;
}

export async function compare(folder: string, options: StaggerOptions): Promise<object> {
  const prepared = prepare(folder, options);
  const engines = options.engines[0]!;
  const settings: RunSettings = {
    models: prepared.models,
    engines,
    scheduler: 'fifo',
    warmUp: prepared.kinds,
  };
  const env = { ROUNDHOUSE_MODELS_DIR: prepared.models, ROUNDHOUSE_ENGINES: engines };
  const solo = await soloTimes(prepared.kinds, env);
  const everyMs = await burstEveryMs(prepared, settings, options);
  const trace = prepared.traceOf(everyMs);
  const bound = boundOf(trace, solo);
  const runs = await interleaved(trace, settings, options);
  const [fifo, staggered] = [mediansOf(runs.fifo), mediansOf(runs.staggered)];
  const ratios = figures.map((name) => [name, round(staggered[name] / fifo[name])] as const);
  const gap = bound.candidatesPerSecond - fifo.candidatesPerSecond;
  const gained = staggered.candidatesPerSecond - fifo.candidatesPerSecond;
  const killed = options.kill ? await killedRun(trace, settings) : null;
  return {
    shards: trace.length,
    candidates: candidatesOf(trace),
    burstEveryMs: round(everyMs),
    bound,
    gapShare: round(gap / fifo.candidatesPerSecond),
    gapClosed: gap > 0 ? round(gained / gap) : null,
    medians: { fifo, staggered },
    ratios: Object.fromEntries(ratios),
    withTurns: runs.withTurns.length > 0 ? mediansOf(runs.withTurns) : null,
    killed,
    runs,
    solo: Object.fromEntries(solo),
  };
}

function killedRun(trace: readonly TracedShard[], settings: RunSettings): Promise<Run> {
  const half = trace[Math.floor(trace.length / 2)]!.atMs;
  return oneRun(trace, { ...settings, scheduler: 'staggered' }, half);
}
