import { numberFlag, readFlags } from '#lib/command-line';

export interface SchedulingBenchOptions {
  readonly seed: number;
  /** Traces of each case, by the seeds from `seed` on. */
  readonly traces: number;
  readonly bursts: number;
}

export const usage = `npm run --silent bench -- scheduling [--seed 1] [--traces 5] [--bursts 20]
  Simulated: staggered against fifo on the same traces. One JSON document; progress on stderr.
  --seed N      the first trace's seed (default 1)
  --traces N    traces of each case (default 5)
  --bursts N    bursts of ten rounds in a trace (default 20)`;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): SchedulingBenchOptions {
  const text = { type: 'string' } as const;
  const values = readFlags(argv, { seed: text, traces: text, bursts: text });
  const number = (name: 'seed' | 'traces' | 'bursts', fallback: number, max: number) =>
    numberFlag(name, values[name], { default: fallback, min: 1, max });
  return {
    seed: number('seed', 1, 1_000_000),
    traces: number('traces', 5, 1_000),
    bursts: number('bursts', 20, 10_000),
  };
}
