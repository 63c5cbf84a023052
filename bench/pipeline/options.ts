import { parseArgs } from 'node:util';

export interface PipelineBenchOptions {
  readonly candidates: number;
  readonly shards: number;
  readonly deadlineMs: number;
  readonly roundsPerSecond: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly seed: number;
  /** Seconds of the bare chain (same topics and sizes, echo worker, no engine) after the measured part. */
  readonly bareSeconds: number;
}

export const usage = `npm run --silent bench -- pipeline [--candidates 2000] [--shards 4] [--deadline-ms 1000]
  [--rate 5] [--warm-up 30] [--seconds 300] [--bare-seconds 30] [--seed 1]`;

/** Throws Error with the flag and its range. */
export function parseOptions(argv: readonly string[]): PipelineBenchOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      candidates: text,
      shards: text,
      'deadline-ms': text,
      rate: text,
      'warm-up': text,
      seconds: text,
      'bare-seconds': text,
      seed: text,
    },
  });
  const number = (flag: keyof typeof values, fallback: number, low: number, high: number): number => {
    const given = values[flag];
    const value = given === undefined ? fallback : Number(given);
    if (value >= low && value <= high) return value;
    throw new Error(`--${flag} is ${given}: a number from ${low} to ${high}`);
  };
  return {
    candidates: number('candidates', 2000, 1, 20_000),
    shards: number('shards', 4, 1, 64),
    deadlineMs: number('deadline-ms', 1000, 200, 60_000),
    roundsPerSecond: number('rate', 5, 0.1, 50),
    warmUpSeconds: number('warm-up', 30, 0, 600),
    seconds: number('seconds', 300, 5, 3600),
    bareSeconds: number('bare-seconds', 30, 2, 600),
    seed: number('seed', 1, 0, 2 ** 31),
  };
}
