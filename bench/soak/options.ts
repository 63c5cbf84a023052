import { numberFlag, readFlags } from '#lib/command-line';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly roundsPerSecond: number;
  /** From the end of a fault to the next one, on average. */
  readonly calmSeconds: number;
}

export const usage = `npm run --silent soak [-- --minutes 120] [--seed 1] [--rate 4] [--calm 30]
  One JSON line; progress on stderr. Mixed load (rounds of three sizes, outside clients of the models, reloads, hostile
  messages, scrapes) on a real pipeline while faults come at random times, the same for the same seed. In the first third
  every process may be killed, in the second only engines, in the last none: so each lives long enough to tell whether it grows.
  Ends with 1 where a round was lost, decided twice, or late without the mark of an outage, or a process grew.
  --minutes N   in all (120)
  --rate N      rounds a second (4)
  --calm S      from the end of a fault to the next one, on average (30)
  docs/fault-drills.md says what the figures mean.`;

const text = { type: 'string' } as const;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): SoakOptions {
  const given = readFlags(argv, { minutes: text, seed: text, rate: text, calm: text });
  return {
    minutes: numberFlag('minutes', given.minutes, { default: 120, min: 0.5, max: 2_880, whole: false }),
    seed: numberFlag('seed', given.seed, { default: 1, min: 0, max: 2 ** 31 }),
    roundsPerSecond: numberFlag('rate', given.rate, { default: 4, min: 0.1, max: 100, whole: false }),
    calmSeconds: numberFlag('calm', given.calm, { default: 30, min: 0, max: 3_600, whole: false }),
  };
}
