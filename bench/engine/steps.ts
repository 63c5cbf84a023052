import type { ModelStatistics, Target } from './target';

export interface StepFigures {
  readonly concurrency: number;
  readonly requests: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** By the engine's statistics, of a request at the mean. */
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
  /** Inferences an execution. */
  readonly batch: number;
  readonly firstError?: string;
}

interface Totals {
  readonly inferences: number;
  readonly executions: number;
  readonly requests: number;
  readonly ns: Readonly<Record<'queue' | 'compute_input' | 'compute_infer' | 'compute_output', number>>;
}

function totals(statistics: readonly ModelStatistics[]): Totals {
  const sum = (of: (model: ModelStatistics) => number): number =>
    statistics.reduce((total, model) => total + Number(of(model)), 0);
  return {
    inferences: sum((model) => model.inference_count),
    executions: sum((model) => model.execution_count),
    requests: sum((model) => model.inference_stats.success.count),
    ns: {
      queue: sum((model) => model.inference_stats.queue.ns),
      compute_input: sum((model) => model.inference_stats.compute_input.ns),
      compute_infer: sum((model) => model.inference_stats.compute_infer.ns),
      compute_output: sum((model) => model.inference_stats.compute_output.ns),
    },
  };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** What the engine says of the time between two looks at its statistics. */
export function engineTimes(before: readonly ModelStatistics[], after: readonly ModelStatistics[]) {
  const [from, to] = [totals(before), totals(after)];
  const requests = to.requests - from.requests;
  const us = (part: keyof Totals['ns']): number =>
    requests === 0 ? 0 : rounded((to.ns[part] - from.ns[part]) / 1_000 / requests, 1);
  const executions = to.executions - from.executions;
  return {
    queueUs: us('queue'),
    computeInputUs: us('compute_input'),
    computeInferUs: us('compute_infer'),
    computeOutputUs: us('compute_output'),
    batch: executions === 0 ? 0 : rounded((to.inferences - from.inferences) / executions, 2),
  };
}

/** The smallest value that at least `share` of them don't exceed. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

interface Counted {
  readonly millis: number[];
  readonly seconds: number;
  errors: number;
  firstError?: string;
}

async function load(call: () => Promise<void>, concurrency: number, seconds: number): Promise<Counted> {
  const started = performance.now();
  const end = started + seconds * 1_000;
  const millis: number[] = [];
  const counted = { millis, seconds, errors: 0 } as { -readonly [K in keyof Counted]: Counted[K] };
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      const before = performance.now();
      try {
        await call();
        millis.push(performance.now() - before);
      } catch (error) {
        counted.errors += 1;
        counted.firstError ??= (error as Error).message;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  counted.seconds = (performance.now() - started) / 1_000;
  return counted;
}

/** Throws where not one request was answered. */
export async function runStep(
  target: Target,
  call: () => Promise<void>,
  concurrency: number,
  seconds: number,
): Promise<StepFigures> {
  await load(call, concurrency, seconds / 6);
  const before = await target.statistics();
  const { millis, errors, firstError, seconds: elapsed } = await load(call, concurrency, seconds);
  const after = await target.statistics();
  if (millis.length === 0) throw new Error(`no request was answered: ${firstError ?? 'none ended in time'}`);
  const sorted = Float64Array.from(millis).sort();
  const at = (share: number): number => rounded(percentile(sorted, share), 3);
  return {
    concurrency,
    requests: millis.length,
    errors,
    perSecond: rounded(millis.length / elapsed, 1),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    ...engineTimes(before, after),
    ...(firstError === undefined ? {} : { firstError }),
  };
}
