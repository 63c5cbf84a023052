import { numberFlag, readFlags } from '#lib/command-line';

export interface RoutersBenchOptions {
  readonly seed: number;
  readonly engines: number;
  readonly workers: number;
  readonly durationMs: number;
  /** Real workers instead of simulated ones: so many pairs of runs. */
  readonly real: number;
}

export const usage = `npm run --silent bench -- routers [--seed 1] [--engines 1000] [--workers 20] [--duration 3000] [--real 0]
  Simulated: random, round-robin, least-loaded, power of two choices and ours on the same shards. One JSON document;
  progress on stderr.
  --seed N       the trace's seed (default 1)
  --engines N    engines, of three speeds (default 1,000)
  --workers N    those of them whose workers get shards (default 20)
  --duration MS  length of a trace (default 3,000)
  --real N       instead: N pairs of runs of 20 s with real workers, engines and gRPC, with and without a dead, a slow
                 and a failing remote beside a good one`;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): RoutersBenchOptions {
  const text = { type: 'string' } as const;
  const values = readFlags(argv, { seed: text, engines: text, workers: text, duration: text, real: text });
  const number = (name: keyof typeof values & string, fallback: number, max: number, min = 1) =>
    numberFlag(name, values[name], { default: fallback, min, max });
  const engines = number('engines', 1_000, 10_000, 200);
  return {
    seed: number('seed', 1, 1_000_000),
    engines,
    workers: number('workers', 20, 100),
    durationMs: number('duration', 3_000, 600_000, 100),
    real: number('real', 0, 100, 0),
  };
}
