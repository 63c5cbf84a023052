import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';

/** A round of an invented city at dinner time; see policy/simulation/city/city-rounds.ts. */
export interface CityShape {
  readonly couriers: number;
  /** Open ones; those that couriers hold come on top. */
  readonly orders: number;
  readonly radiusMetres: number;
  /** Orders in a bundle, at most. */
  readonly bundleOrders: number;
}

export interface PipelineBenchOptions {
  /** Null: the busiest rounds of the bundled day. */
  readonly city: CityShape | null;
  readonly candidates: number;
  readonly shards: number;
  readonly deadlineMs: number;
  readonly roundsPerSecond: number;
  /** So many are submitted at once, each of another zone. */
  readonly together: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly seed: number;
  /** Different rounds, sent in turns. */
  readonly templates: number;
  /** Seconds of the bare chain (same topics and sizes, echo worker, no engine) after the measured part. */
  readonly bareSeconds: number;
  /** After the measured part: the largest round that makes the deadline. */
  readonly search: boolean;
}

export const usage = `npm run --silent bench -- pipeline [--candidates 2000] [--shards 4] [--deadline-ms 1000]
  [--rate 5] [--warm-up 30] [--seconds 300] [--bare-seconds 30] [--seed 1]
npm run --silent bench -- pipeline --city [--couriers 1000] [--orders 2000] [--candidates 100000] [--rate 1] [--search]
  One JSON object; progress on stderr. Rounds at a steady pace through broker, engine and aggregator, then as many
  messages of the same sizes through a bare chain of the same topics: latencies, phases, memory, processor time.
  A round without a decision counts as late and as the slowest; with one the exit code is 1.
  --candidates N --shards N   of a round; a city's shards have 4,096 candidates unless it says otherwise
  --rate N                    rounds a second
  --together N                rounds that are submitted, and due, at once (1)
  --warm-up S --seconds S     before the measured part, and of it
  --bare-seconds S            of the bare chain; 0 leaves it out
  --city                      rounds of an invented city, whose couriers hold up to three orders, in place of those of
                              the bundled day
  --couriers N --orders N     of a city's round; the orders that couriers hold come on top
  --radius M --bundle-orders N  of its policy: metres to a pickup, orders in a bundle (6000, 2)
  --templates N               different rounds, sent in turns (12; 3 of a city)
  --search                    then the largest city round of this shape that makes the deadline ten times in a row`;

const text = { type: 'string' } as const;
const flags = {
  city: { type: 'boolean' },
  search: { type: 'boolean' },
  couriers: text,
  orders: text,
  radius: text,
  'bundle-orders': text,
  templates: text,
  candidates: text,
  shards: text,
  'deadline-ms': text,
  rate: text,
  together: text,
  'warm-up': text,
  seconds: text,
  'bare-seconds': text,
  seed: text,
} as const;

const cityFlags = ['couriers', 'orders', 'radius', 'bundle-orders', 'search'] as const;
const candidatesPerShard = 4_096;

type Values = ReturnType<typeof readFlags<typeof flags>>;
type TextFlag = Exclude<keyof typeof flags, 'city' | 'search'>;
type Numbers = (flag: TextFlag, fallback: number, min: number, max: number, whole?: boolean) => number;

function cityOf(values: Values, number: Numbers): CityShape | null {
  if (values.city === true) {
    return {
      couriers: number('couriers', 1_000, 1, 60_000),
      orders: number('orders', 2_000, 1, 60_000),
      radiusMetres: number('radius', 6_000, 1, 1_000_000),
      bundleOrders: number('bundle-orders', 2, 1, 6),
    };
  }
  const lost = cityFlags.find((flag) => values[flag] !== undefined);
  if (lost !== undefined) throw new ArgumentsInvalid(`--${lost} is of a city's round: say --city, too`);
  return null;
}

/** Throws ArgumentsInvalid with the flag and its range. */
export function parseOptions(argv: readonly string[]): PipelineBenchOptions {
  const values = readFlags(argv, flags);
  const number: Numbers = (flag, fallback, min, max, whole = true) =>
    numberFlag(flag, values[flag], { default: fallback, min, max, whole });
  const city = cityOf(values, number);
  const candidates = number('candidates', city ? 100_000 : 2_000, 1, city ? 2_000_000 : 20_000);
  return {
    city,
    candidates,
    shards: number('shards', city ? Math.ceil(candidates / candidatesPerShard) : 4, 1, 4_096),
    deadlineMs: number('deadline-ms', 1_000, 200, 60_000),
    roundsPerSecond: number('rate', city ? 1 : 5, 0.1, 50, false),
    together: number('together', 1, 1, 64),
    warmUpSeconds: number('warm-up', 30, 0, 600, false),
    seconds: number('seconds', 300, 5, 3600, false),
    bareSeconds: number('bare-seconds', 30, 0, 600, false),
    seed: number('seed', 1, 0, 2 ** 31),
    templates: number('templates', city ? 3 : 12, 1, 64),
    search: values.search === true,
  };
}
