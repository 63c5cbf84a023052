import { ArgumentsInvalid, numberFlag, numberList, readFlags } from '#lib/command-line';

export interface LoadBenchOptions {
  /** Rounds a second, in turns; null: from `start` upwards by `growth`, until well beyond the knee. */
  readonly rates: readonly number[] | null;
  readonly start: number;
  readonly growth: number;
  readonly secondsEach: number;
  readonly warmUpSeconds: number;
  readonly candidates: number;
  readonly shards: number;
  readonly deadlineMs: number;
  readonly seed: number;
}

export const usage = `npm run --silent bench -- load [--start 5] [--growth 1.5] [--seconds 20] [--rates 5,10,20]
  [--candidates 2000] [--shards 4] [--deadline-ms 1000] [--warm-up 15] [--seed 1]
  One JSON object; progress on stderr. Rounds at a steady pace, faster from step to step, until well beyond the knee (the
  first rate that is not solved whole): what saturates there, and how the pipeline gives way: coverage may fall, no decision
  may be late. Ends with 1 where one was, or where an accepted round has none.
  --start N --growth F   the first rate, rounds a second, and the factor from step to step
  --rates A,B,C          these instead
  --seconds S            of each rate`;

const text = { type: 'string' } as const;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): LoadBenchOptions {
  const given = readFlags(argv, {
    start: text,
    growth: text,
    rates: text,
    seconds: text,
    'warm-up': text,
    candidates: text,
    shards: text,
    'deadline-ms': text,
    seed: text,
  });
  const number = (flag: keyof typeof given, usual: number, min: number, max: number, whole = true): number =>
    numberFlag(flag, given[flag], { default: usual, min, max, whole });
  const rates = given.rates === undefined ? null : numberList('rates', given.rates);
  if (rates?.some((rate) => rate < 0.1 || rate > 10_000)) {
    throw new ArgumentsInvalid(`--rates is ${given.rates}: numbers from 0.1 to 10000`);
  }
  return {
    rates,
    start: number('start', 5, 0.1, 1_000, false),
    growth: number('growth', 1.5, 1.05, 4, false),
    secondsEach: number('seconds', 20, 2, 600, false),
    warmUpSeconds: number('warm-up', 15, 0, 600, false),
    candidates: number('candidates', 2_000, 1, 200_000),
    shards: number('shards', 4, 1, 64),
    deadlineMs: number('deadline-ms', 1_000, 300, 60_000),
    seed: number('seed', 1, 0, 2 ** 31),
  };
}
