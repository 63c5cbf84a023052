import { numberFlag, readFlags } from '#lib/command-line';

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
  [--rate 5] [--warm-up 30] [--seconds 300] [--bare-seconds 30] [--seed 1]
  One JSON object; progress on stderr. Rounds at a steady pace through broker, engine and aggregator, then as many
  messages of the same sizes through a bare chain of the same topics: latencies, stages, memory, processor time.
  --candidates N --shards N   of a round
  --rate N                    rounds a second
  --warm-up S --seconds S     before the measured part, and of it
  --bare-seconds S            of the bare chain`;

/** Throws ArgumentsInvalid with the flag and its range. */
export function parseOptions(argv: readonly string[]): PipelineBenchOptions {
  const text = { type: 'string' } as const;
  const values = readFlags(argv, {
    candidates: text,
    shards: text,
    'deadline-ms': text,
    rate: text,
    'warm-up': text,
    seconds: text,
    'bare-seconds': text,
    seed: text,
  });
  const number = (
    flag: keyof typeof values,
    fallback: number,
    min: number,
    max: number,
    whole = true,
  ): number => numberFlag(flag, values[flag], { default: fallback, min, max, whole });
  return {
    candidates: number('candidates', 2000, 1, 20_000),
    shards: number('shards', 4, 1, 64),
    deadlineMs: number('deadline-ms', 1000, 200, 60_000),
    roundsPerSecond: number('rate', 5, 0.1, 50, false),
    warmUpSeconds: number('warm-up', 30, 0, 600, false),
    seconds: number('seconds', 300, 5, 3600, false),
    bareSeconds: number('bare-seconds', 30, 2, 600, false),
    seed: number('seed', 1, 0, 2 ** 31),
  };
}
