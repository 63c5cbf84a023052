import { availableParallelism } from 'node:os';
import { ArgumentsInvalid, choiceFlag, numberFlag, readFlags } from '#lib/command-line';
import { readiness, type Readiness } from './ready-knowledge';
import { requiredFlag, splitWords } from '../positionals';

/** Figures of a day by which points may be judged: of all, less is better. */
export const judgedBy = [
  ...(['penalisedClickToDoor', 'clickToDoor', 'clickToDoorP90', 'overage', 'readyToPickup'] as const),
  ...(['readyToDoor', 'lateness', 'undeliveredPct', 'costPerOrder'] as const),
] as const;
export type JudgedBy = (typeof judgedBy)[number];

export interface SweepOptions {
  /** The file with the parameters. */
  readonly space: string;
  readonly out: string;
  readonly days: readonly string[];
  readonly roundMinutes: number;
  /** What is known of when meals are ready. */
  readonly ready: Readiness;
  /** Points drawn by chance; null: the whole grid. */
  readonly random: number | null;
  readonly seed: number;
  readonly jobs: number;
  /** Days left out at a time; 0: no split. */
  readonly leaveOut: number;
  readonly by: JudgedBy;
  readonly top: number;
  readonly json: boolean;
}

export const sweepUsage = `npm run --silent replay -- sweep SPACE --day DIR [--day DIR …] --out DIR [--random N] …
  Days in closed loop under many policies, in parallel processes; SPACE is a JSON file of parameters (docs/replay.md).
  --day DIR       a folder of the MDRP format, or of tables of our own, all of whose times are known
  --out DIR       results, one line a day and point as they come: the same command goes on where it was stopped
  --random N      N points by chance, 1 to 100000; without it every point of the grid
  --seed S        of the chance (default 1)
  --jobs N        processes, 1 to 256 (default: the processors)
  --leave-out N   the best point by the other days, judged on N days left out in turn (default 1; 0: none)
  --by FIGURE     ${judgedBy.join(', ')}
  --f MINUTES     between rounds of MDRP days, 1 to 60 (default 5)
  --ready WHAT    known (default): when meals will be ready; mean: their merchant's mean alone; network: what the
                  stable network predicts of it
  --top N         rows of the printed table (default 20); table.csv has all
  --json          the summary as one JSON document`;

const text = { type: 'string' } as const;
const many = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
const flags = {
  ...{ out: text, day: many, random: text, seed: text, jobs: text },
  ...{ 'leave-out': text, by: text, f: text, ready: text, top: text, json: flag },
} as const;

function daysOf(given: readonly string[] | undefined): readonly string[] {
  if (given === undefined) throw new ArgumentsInvalid('--day is needed, several times for several days');
  const twice = given.find((day, at) => given.indexOf(day) !== at);
  if (twice !== undefined) throw new ArgumentsInvalid(`--day ${twice} twice`);
  return given;
}

/** Throws ArgumentsInvalid. */
export function parseSweep(argv: readonly string[]): SweepOptions {
  const { words, flags: rest } = splitWords(argv, ['SPACE']);
  const values = readFlags(rest, flags);
  const days = daysOf(values.day);
  const leaveOut = numberFlag('leave-out', values['leave-out'], {
    ...{ default: days.length > 1 ? 1 : 0, min: 0, max: 10_000 },
  });
  if (leaveOut > 0 && leaveOut >= days.length)
    throw new ArgumentsInvalid(`--leave-out is ${leaveOut}: fewer than the ${days.length} days`);
  const drawn = numberFlag('random', values.random, { default: 0, min: 1, max: 100_000 });
  return {
    space: words[0]!,
    out: requiredFlag('out', values.out),
    days,
    roundMinutes: numberFlag('f', values.f, { default: 5, min: 1, max: 60 }),
    random: drawn === 0 ? null : drawn,
    ready: choiceFlag('ready', values.ready, readiness),
    seed: numberFlag('seed', values.seed, { default: 1, min: 0, max: 2 ** 31 - 1 }),
    jobs: numberFlag('jobs', values.jobs, { default: availableParallelism(), min: 1, max: 256 }),
    leaveOut,
    by: choiceFlag('by', values.by, judgedBy),
    top: numberFlag('top', values.top, { default: 20, min: 1, max: 100_000 }),
    json: values.json ?? false,
  };
}
