import { numberFlag, readFlags } from '#lib/command-line';

export interface AssignmentBenchOptions {
  /** Packing problems against highs. */
  readonly problems: number;
  readonly highs: boolean;
  /** Matching problems of a warm process, and first calls of fresh ones. */
  readonly matchings: number;
  readonly firstCalls: number;
  readonly large: boolean;
}

export const usage = `npm run --silent bench -- assignment [--problems 20] [--no-highs] [--matchings 40]
  [--first-calls 5] [--no-large]
  One JSON line; progress on stderr. Under a minute by default, 200 problems against highs take three.
  --problems N      random city problems with overlapping bundles against the MIP of highs (default 20)
  --no-highs        their times alone
  --matchings N     1,000 couriers × 2,000 orders with 100,000 candidates, one after the other (default 40)
  --first-calls N   the same as the first call of a fresh thread, without and with the warm-up of a service (default 5)
  --no-large        leaves out overlapping bundles with 40,000 to 500,000 candidates`;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): AssignmentBenchOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const values = readFlags(argv, {
    problems: text,
    'no-highs': flag,
    matchings: text,
    'first-calls': text,
    'no-large': flag,
  });
  const number = (name: 'problems' | 'matchings' | 'first-calls', fallback: number, max: number) =>
    numberFlag(name, values[name], { default: fallback, min: 1, max });
  return {
    problems: number('problems', 20, 10_000),
    highs: values['no-highs'] !== true,
    matchings: number('matchings', 40, 10_000),
    firstCalls: number('first-calls', 5, 100),
    large: values['no-large'] !== true,
  };
}
