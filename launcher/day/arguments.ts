import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';

export type StartArguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'serve' }
  | ({ readonly kind: 'city' } & CityArguments & DayArguments)
  | ({
      readonly kind: 'mdrp';
      readonly folder: string;
      readonly out: string | null;
      readonly prepositioning: boolean;
      readonly lateChanges: boolean;
    } & DayArguments);

interface DayArguments {
  readonly roundMinutes: number;
  readonly deadlineMs: number;
}
interface CityArguments {
  readonly orders: number;
  readonly couriers: number;
  readonly seed: number;
}

export const usage = `usage:
  npm start                                  dispatch the bundled city day through the whole pipeline
  npm start -- --mdrp DIR [--out DIR]        dispatch a day in the MDRP format, write its solution files
  npm start -- --serve                       keep the pipeline up for producers of your own

  --no-prepositioning  with --mdrp: couriers without orders stay where they are
  --late-changes     with --mdrp: a courier that waits in a restaurant may be given other meals until it picks up
  --f MINUTES        simulated minutes between rounds (default 5)
  --deadline-ms MS   time that a round has for its decision (default 2000)
  --orders N --couriers N --seed N           size and seed of the city day (600, 60)

KAFKA_BROKERS and REDIS_URL name servers to use instead of own ones. Exit codes: 0 the day was dispatched, 1 it was
not, 2 the command line, a setting of --serve or the MDRP folder can't be followed, 130 Ctrl-C`;

const text = { type: 'string' } as const;
const options = {
  help: { type: 'boolean', short: 'h' },
  serve: { type: 'boolean' },
  mdrp: text,
  out: text,
  'no-prepositioning': { type: 'boolean' },
  'late-changes': { type: 'boolean' },
  f: text,
  'deadline-ms': text,
  orders: text,
  couriers: text,
  seed: text,
} as const;

type DayNumber = 'f' | 'deadline-ms' | 'orders' | 'couriers' | 'seed';
type Values = ReturnType<typeof readFlags<typeof options>>;

export function parseStartArguments(argv: readonly string[]): StartArguments {
  const values = readFlags(argv, options);
  if (values.help) return { kind: 'help' };
  const faults = conflicts(values);
  const whole = (flag: DayNumber, fallback: number, min: number, max: number): number => {
    try {
      return numberFlag(flag, values[flag], { default: fallback, min, max });
    } catch (error) {
      faults.push((error as Error).message);
      return fallback;
    }
  };
  const day = {
    roundMinutes: whole('f', 5, 1, 60),
    deadlineMs: whole('deadline-ms', 2_000, 200, 600_000),
  };
  const city = {
    orders: whole('orders', 600, 1, 20_000),
    couriers: whole('couriers', 60, 1, 2_000),
    seed: whole('seed', 20_181_130, 0, 0x7fffffff),
  };
  if (faults.length > 0) throw new ArgumentsInvalid(faults.join('\n'));
  if (values.serve) return { kind: 'serve' };
  if (values.mdrp === undefined) return { kind: 'city', ...city, ...day };
  const prepositioning = values['no-prepositioning'] !== true;
  const lateChanges = values['late-changes'] === true;
  return { kind: 'mdrp', folder: values.mdrp, out: values.out ?? null, prepositioning, lateChanges, ...day };
}

const dayFlags = ['mdrp', 'out', 'f', 'deadline-ms', 'orders', 'couriers', 'seed'] as const;
const cityFlags = ['orders', 'couriers', 'seed'] as const;

function conflicts(values: Values): string[] {
  const given = (flags: readonly (keyof Values)[]) => flags.filter((flag) => values[flag] !== undefined);
  const faults: string[] = [];
  if (values.serve) faults.push(...given(dayFlags).map((flag) => `--${flag} has no meaning with --serve`));
  if (values.mdrp !== undefined)
    faults.push(...given(cityFlags).map((flag) => `--${flag} has no meaning with --mdrp`));
  if (values.mdrp === '') faults.push('--mdrp needs a folder');
  for (const flag of ['out', 'no-prepositioning', 'late-changes'] as const) {
    if (values[flag] !== undefined && values.mdrp === undefined) faults.push(`--${flag} needs --mdrp DIR`);
  }
  return faults;
}
