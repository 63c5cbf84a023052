import { numberFlag, readFlags } from '#lib/command-line';
import { splitWords } from '../positionals';
import { boundFlag, boundNames, type Bounds } from './thresholds';

export interface DiffOptions {
  readonly folders: readonly [string, string];
  readonly worst: number;
  readonly json: boolean;
  readonly details: string | null;
  readonly skipCorrupt: boolean;
  readonly bounds: Bounds;
}

export const diffUsage = `npm run --silent replay -- diff A B [--worst 10] [--json] [--details FILE] [--skip-corrupt] [BOUNDS]
  Two runs, or a recording and a run, round by round: A is what was, B what is tried.
  --worst N        so many of the worst rounds (default 10)
  --json           one JSON document
  --details FILE   every changed round as a line of JSON
  --skip-corrupt   tells of corrupt blocks and uses the rest
Bounds for a gate, each a number or a part of its whole such as 0.5%; exit code 1 where one doesn't hold:
  --max-changed              decisions with another content
  --max-redispatched         of them, those in which an order fares otherwise
  --max-missing              decisions that B lacks
  --max-lost                 orders that A assigned and B doesn't
  --max-unassigned-increase  more orders left out
  --max-cost-increase        plans and orders left out, by the rounds' own policies
  --max-late                 decisions of B behind their deadline`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const boundFlags = {
  ...{
    'max-changed': text,
    'max-redispatched': text,
    'max-missing': text,
    'max-lost': text,
    'max-late': text,
  },
  ...{ 'max-unassigned-increase': text, 'max-cost-increase': text },
} as const;

/** Throws ArgumentsInvalid. */
export function parseDiff(argv: readonly string[]): DiffOptions {
  const { words, flags } = splitWords(argv, ['A', 'B']);
  const own = { worst: text, details: text, json: flag, 'skip-corrupt': flag } as const;
  const values = readFlags(flags, { ...own, ...boundFlags });
  const bounds: Bounds = Object.fromEntries(
    boundNames.flatMap((name) => {
      const given = values[name];
      return given === undefined ? [] : [[name, boundFlag(name, given)]];
    }),
  );
  return {
    folders: [words[0]!, words[1]!],
    worst: numberFlag('worst', values.worst, { default: 10, min: 0, max: 10_000 }),
    json: values.json ?? false,
    details: values.details ?? null,
    skipCorrupt: values['skip-corrupt'] ?? false,
    bounds,
  };
}
