import { quantile } from '#policy/simulation/statistics';
import { oneRun, warm, type Run } from './one-run';
import type { StaggerOptions } from './options';
import { passBound } from './passes';
import { prepare, type Prepared } from './prepare';
import { runKinds, type RunKind } from './run-kinds';
import { boundOf, soloTimes } from './solo';
import { SpansFile } from './spans-file';
import { candidatesOf, type TracedShard } from './trace';
import { startWorkerEngines, type WorkerEngines } from './worker-engines';

const figures = [
  'candidatesPerSecond',
  'latencyP50Ms',
  'latencyP99Ms',
  'overlap',
  'poolPeakBytes',
  'makespanMs',
  'threadBusy',
] as const satisfies readonly (keyof Run)[];
type Figure = (typeof figures)[number];
export type Figures = Readonly<Record<Figure, number>>;

const round = (value: number): number => Number(value.toFixed(3));

export function mediansOf(runs: readonly Run[]): Figures {
  const medianOf = (name: Figure): number => {
    const values = runs.map((run) => run[name]);
    return round(quantile(values, 0.5));
  };
  return Object.fromEntries(figures.map((name) => [name, medianOf(name)])) as Figures;
}

const ratiosTo = (base: Figures, of: Figures): Figures =>
  Object.fromEntries(figures.map((name) => [name, round(of[name] / base[name])])) as Figures;

/** The runs of a comparison on one set of engines. */
class Comparison {
  constructor(
    private readonly prepared: Prepared,
    private readonly worker: WorkerEngines,
    private readonly spans: SpansFile | null,
  ) {}

  async play(kind: RunKind, trace: readonly TracedShard[], name: string, killAtMs?: number): Promise<Run> {
    const { prepared, worker, spans } = this;
    const warmUp = prepared.inWay(prepared.kinds, kind.way);
    const settings = { scheduler: kind.scheduler, warmUp, onPlayed: spans?.under(name) };
    const run = await oneRun(worker, prepared.inWay(trace, kind.way), settings, killAtMs);
    const { candidatesPerSecond, latencyP99Ms, late, threadBusy } = run;
    const figures = `${candidatesPerSecond} candidates/s, p99 ${latencyP99Ms} ms, late ${late}`;
    console.error(`${name}: ${figures}, thread ${threadBusy}`);
    return run;
  }

  /** Everything at once: what the devices do. */
  async playAtOnce(kinds: readonly RunKind[], times: number): Promise<RunsOf> {
    const trace = this.prepared.traceOf(0).map((shard) => ({ ...shard, deadlineMs: 600_000 }));
    await warm(this.worker.placedBy('fifo'), trace);
    return this.playInTurns(kinds, trace, times, ', all at once');
  }

  /** In turns; the first of a set is another one each time. */
  async playInTurns(
    kinds: readonly RunKind[],
    trace: readonly TracedShard[],
    times: number,
    of = '',
  ): Promise<RunsOf> {
    const runs = new Map<string, Run[]>(kinds.map(({ name }) => [name, []]));
    for (let time = 0; time < times; time += 1) {
      const first = time % kinds.length;
      for (const kind of [...kinds.slice(first), ...kinds.slice(0, first)]) {
        runs.get(kind.name)!.push(await this.play(kind, trace, `${kind.name}${of}`));
      }
    }
    return runs;
  }
}

type RunsOf = ReadonlyMap<string, readonly Run[]>;
const mediansByKind = (runs: RunsOf): Record<string, Figures> =>
  Object.fromEntries([...runs].map(([name, of]) => [name, mediansOf(of)]));

/** Of the trace's bursts, by what the devices do when everything is there at once. */
function burstEveryMs(prepared: Prepared, { load, bursts }: StaggerOptions, atOnce: Figures): number {
  if (load === 0) return 0;
  const secondsAtOnce = candidatesOf(prepared.traceOf(0)) / atOnce.candidatesPerSecond;
  return (1_000 * secondsAtOnce) / (load * bursts);
}

function gapTo(candidatesPerSecond: number, fifo: Figures, other: Figures): object {
  const gap = candidatesPerSecond - fifo.candidatesPerSecond;
  const gained = other.candidatesPerSecond - fifo.candidatesPerSecond;
  return { share: round(gap / fifo.candidatesPerSecond), closed: gap > 0 ? round(gained / gap) : null };
}

async function compareOn(
  worker: WorkerEngines,
  prepared: Prepared,
  kinds: readonly RunKind[],
  options: StaggerOptions,
): Promise<object> {
  const spans = options.spans === '' ? null : new SpansFile(options.spans);
  const comparison = new Comparison(prepared, worker, spans);
  const solo = await soloTimes(worker.placement, prepared.kinds);
  const atOnce = await comparison.playAtOnce(kinds, options.atOnce);
  const saturated = mediansByKind(atOnce);
  const everyMs = burstEveryMs(prepared, options, saturated[kinds[0]!.name]!);
  const trace = prepared.traceOf(everyMs);
  const passes = options.alone ? await passBound(worker, prepared, trace) : null;
  const bound = boundOf(trace, solo);
  const runs = await comparison.playInTurns(kinds, trace, options.runs);
  const last = kinds.at(-1)!;
  const half = trace[Math.floor(trace.length / 2)]!.atMs;
  const killed = options.kill ? await comparison.play(last, trace, 'killed', half) : null;
  spans?.write();
  const gapOf = (fifo: Figures, other: Figures): object => ({
    toBound: gapTo(bound.candidatesPerSecond, fifo, other),
    toPassBound: passes === null ? null : gapTo(passes.candidatesPerSecond, fifo, other),
  });
  return {
    shards: trace.length,
    candidates: candidatesOf(trace),
    burstEveryMs: round(everyMs),
    bound,
    passes,
    ...againstFirst(mediansByKind(runs), kinds, gapOf),
    saturated: againstFirst(saturated, kinds, gapOf),
    killed,
    runs: Object.fromEntries(runs),
    atOnce: Object.fromEntries(atOnce),
    solo: Object.fromEntries(solo),
  };
}

function againstFirst(
  medians: Record<string, Figures>,
  [first, ...others]: readonly RunKind[],
  gapOf: (fifo: Figures, other: Figures) => object,
): object {
  const base = medians[first!.name]!;
  const of = (each: (other: Figures) => object): object =>
    Object.fromEntries(others.map(({ name }) => [name, each(medians[name]!)]));
  return {
    medians,
    ratios: of((other) => ratiosTo(base, other)),
    gaps: of((other) => gapOf(base, other)),
  };
}

/** Kinds of runs in turns on one trace; the first is what the others are compared with. */
export async function compare(folder: string, options: StaggerOptions): Promise<object> {
  const kinds = runKinds(options.kinds);
  const prepared = prepare(folder, options, kinds);
  const worker = await startWorkerEngines({
    ROUNDHOUSE_MODELS_DIR: prepared.models,
    ROUNDHOUSE_ENGINES: options.engines[0]!,
    ROUNDHOUSE_SCHEDULER: 'fifo',
  });
  try {
    return await compareOn(worker, prepared, kinds, options);
  } finally {
    await worker.stop();
  }
}
