import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';

export interface MdrpBenchOptions {
  readonly folders: readonly string[];
  readonly roundMinutes: number;
  /** Through broker, engine and aggregator instead of in one process. */
  readonly pipeline: boolean;
  readonly prepositioning: boolean;
  readonly lateChanges: boolean;
  /** Solution files go to OUT/<name of the day>. */
  readonly out: string | null;
}

export const usage = `npm run --silent bench -- mdrp --dir DIR [--dir DIR …] [--f 5] [--pipeline] [--no-prepositioning]
    [--late-changes] [--out DIR]
  One JSON line a day of the public MDRP benchmark.
  --dir DIR      a folder of the MDRP format
  --f MINUTES    simulated minutes between rounds (default 5)
  --pipeline     through broker, engine and aggregator instead of in one process
  --no-prepositioning  couriers without orders stay where they are
  --late-changes a courier that waits in a restaurant may be given other meals until it picks up
  --out DIR      solution files go to DIR/<name of the day>`;

/** Throws ArgumentsInvalid with the flag and its range. */
export function parseOptions(argv: readonly string[]): MdrpBenchOptions {
  const text = { type: 'string' } as const;
  const values = readFlags(argv, {
    dir: { type: 'string', multiple: true },
    f: text,
    pipeline: { type: 'boolean' },
    'no-prepositioning': { type: 'boolean' },
    'late-changes': { type: 'boolean' },
    out: text,
  });
  if (values.dir === undefined)
    throw new ArgumentsInvalid('--dir DIR is needed: a folder of the MDRP format');
  const roundMinutes = numberFlag('f', values.f, { default: 5, min: 1, max: 60 });
  const { dir: folders, pipeline = false, out = null } = values;
  const prepositioning = values['no-prepositioning'] !== true;
  const lateChanges = values['late-changes'] === true;
  return { folders, roundMinutes, pipeline, prepositioning, lateChanges, out };
}
