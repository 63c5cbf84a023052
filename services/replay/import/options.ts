import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';
import { shownText } from '#schemas/shown-text';
import { requiredFlag, splitWords } from '../positionals';

export const importKinds = ['mdrp', 'meituan', 'tables', 'rounds'] as const;
export type ImportKind = (typeof importKinds)[number];

export interface ImportOptions {
  readonly kind: ImportKind;
  readonly source: string;
  readonly out: string;
  readonly roundMinutes: number;
  readonly dates: readonly number[];
  readonly areas: readonly string[];
  /** Of Meituan's files: a day in closed loop in place of the published moments. */
  readonly day: boolean;
}

export const importUsage = `npm run --silent replay -- import KIND SOURCE --out DIR [--f 5] [--date YYYYMMDD] [--area ID] [--day]
  Rounds from elsewhere as a recording without decisions, for \`replay run\`.
  mdrp DIR      a folder of the MDRP format, in closed loop, a round every f minutes
  tables DIR    our own: orders and couriers as .csv or .jsonl, settings.json (docs/replay.md), in closed loop
  rounds FILE   JSON lines, each a round as POST /v1/rounds takes it
  meituan DIR   the four CSV files of the Meituan INFORMS TSL challenge 2024: its dispatch moments, or with --day
                a date of an area in closed loop
  --out DIR     a folder that is empty or not there
  --f MINUTES   between rounds, 1 to 60 (mdrp, meituan --day)
  --date, --area  of meituan, several times where several are wanted; --day wants one of each`;

const text = { type: 'string' } as const;
const many = { type: 'string', multiple: true } as const;
const flags = { out: text, f: text, date: many, area: many, day: { type: 'boolean' } } as const;

function dateOf(given: string): number {
  if (/^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(given)) return Number(given);
  throw new ArgumentsInvalid(`--date is ${shownText(given, 100)}: YYYYMMDD`);
}

/** Throws ArgumentsInvalid. */
export function parseImport(argv: readonly string[]): ImportOptions {
  const { words, flags: rest } = splitWords(argv, ['KIND', 'SOURCE']);
  const values = readFlags(rest, flags);
  const kind = importKinds.find((known) => known === words[0]);
  if (kind === undefined)
    throw new ArgumentsInvalid(`KIND is ${shownText(words[0]!, 100)}: one of ${importKinds.join(', ')}`);
  const options: ImportOptions = {
    kind,
    source: words[1]!,
    out: requiredFlag('out', values.out),
    roundMinutes: numberFlag('f', values.f, { default: 5, min: 1, max: 60 }),
    dates: (values.date ?? []).map(dateOf),
    areas: values.area ?? [],
    day: values.day ?? false,
  };
  const isPicky = options.dates.length + options.areas.length > 0 || options.day;
  if (kind !== 'meituan' && isPicky)
    throw new ArgumentsInvalid(`--date, --area and --day are of meituan, not of ${kind}`);
  if (options.day && (options.dates.length !== 1 || options.areas.length !== 1))
    throw new ArgumentsInvalid('--day wants one --date and one --area');
  return options;
}
