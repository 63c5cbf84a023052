import { numberFlag, readFlags } from '#lib/command-line';
import { requiredFlag, splitWords } from '../positionals';

export interface ReportOptions {
  /** A recording or a run, and another that is compared with it. */
  readonly folders: readonly string[];
  readonly out: string;
  /** Of runs alone: where the orders' and couriers' places are. */
  readonly recording: string | null;
  /** Every plot as a file of its own goes there. */
  readonly svg: string | null;
  readonly png: string | null;
  /** Rounds that are drawn as maps. */
  readonly maps: number;
  readonly couriers: number;
  readonly hours: number;
  readonly skipCorrupt: boolean;
}

export const reportUsage = `npm run --silent replay -- report A [B] --out FILE [--recording DIR] [--svg DIR] [--png DIR] …
  One HTML file, without network access, of a recording or a run, or of two of them: A is what was, B what is tried.
  --out FILE        the page
  --recording DIR   of runs alone: the recording that they are of, for places and times of orders
  --svg DIR, --png DIR  every plot as a file, too
  --maps N          so many rounds as maps: the worst of the diff, then the busiest, 0 to 200 (default 12)
  --couriers N      timelines of the N busiest, 1 to 500 (default 40)
  --hours N         timelines of the first N hours, 1 to 168 (default 24)
  --skip-corrupt    tells of corrupt blocks and uses the rest`;

const text = { type: 'string' } as const;
const flags = {
  ...{ out: text, recording: text, svg: text, png: text, maps: text, couriers: text, hours: text },
  'skip-corrupt': { type: 'boolean' },
} as const;

/** Throws ArgumentsInvalid. */
export function parseReport(argv: readonly string[]): ReportOptions {
  const { words, flags: rest } = splitWords(argv, ['A'], 1);
  const values = readFlags(rest, flags);
  return {
    folders: words,
    out: requiredFlag('out', values.out),
    recording: values.recording ?? null,
    svg: values.svg ?? null,
    png: values.png ?? null,
    maps: numberFlag('maps', values.maps, { default: 12, min: 0, max: 200 }),
    couriers: numberFlag('couriers', values.couriers, { default: 40, min: 1, max: 500 }),
    hours: numberFlag('hours', values.hours, { default: 24, min: 1, max: 168 }),
    skipCorrupt: values['skip-corrupt'] ?? false,
  };
}
