import { parseArgs } from 'node:util';

export interface MdrpBenchOptions {
  readonly folders: readonly string[];
  readonly roundMinutes: number;
  /** Through broker, engine and aggregator instead of in one process. */
  readonly pipeline: boolean;
  /** Solution files go to OUT/<name of the day>. */
  readonly out: string | null;
}

export const usage = `npm run --silent bench -- mdrp --dir DIR [--dir DIR …] [--f 5] [--pipeline] [--out DIR]`;

/** Throws Error with the flag and its range. */
export function parseOptions(argv: readonly string[]): MdrpBenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string', multiple: true },
      f: { type: 'string', default: '5' },
      pipeline: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  if (values.dir === undefined) throw new Error('--dir DIR is needed: a folder of the MDRP format');
  if (!/^\d+$/.test(values.f) || Number(values.f) < 1 || Number(values.f) > 60)
    throw new Error(`--f is ${values.f}: whole minutes from 1 to 60`);
  const { dir: folders, pipeline, out } = values;
  return { folders, roundMinutes: Number(values.f), pipeline, out: out ?? null };
}
