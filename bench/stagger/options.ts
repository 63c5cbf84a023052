import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';
import { runKinds } from './run-kinds';

export interface StaggerOptions {
  readonly mode: 'compare' | 'scale' | 'pool' | 'memory';
  readonly runs: number;
  readonly seed: number;
  readonly bursts: number;
  /** Against what `fifo` does when everything is there at once; 0: everything is there at once. */
  readonly load: number;
  /** Candidates of the smallest shard; the largest has `factor` times as many. */
  readonly least: number;
  readonly factor: number;
  /** Orders of a bundle at most: with three OR takes far longer than with two. */
  readonly bundleOrders: number;
  /** Hidden layers of the two models' networks. */
  readonly light: readonly number[];
  readonly heavy: readonly number[];
  /** Milliseconds from a round's arrival. */
  readonly deadlineMs: readonly [number, number];
  /** As ROUNDHOUSE_ENGINES; several, separated by "|", in `scale`. */
  readonly engines: readonly string[];
  /** In one more run an engine is killed half-way. */
  readonly kill: boolean;
  /** Of each kind with everything there at once, before the others. */
  readonly atOnce: number;
  /** Of runs, as in run-kinds.ts. */
  readonly kinds: string;
  /** Candidates an order, of each model's shards. */
  readonly perOrder: readonly number[];
  /** What full passes take that have a GPU for themselves is measured, too. */
  readonly alone: boolean;
  /** A folder in which shards are kept for the next time; '': none. */
  readonly templates: string;
  /** A file for every shard's phases; '': none. */
  readonly spans: string;
  /** Requests a second, and for how long, in `pool`. */
  readonly rate: number;
  readonly seconds: number;
  /** Of the GPU, in `memory`, a run each. */
  readonly gpuMemoryLimits: readonly number[];
}

export const usage = `npm run --silent bench -- stagger [FLAGS]
  fifo and staggered in turns on one trace, with the worker's scheduler, sentinels and engines, without Kafka: bursts
  of ten rounds of 1 to 12 shards, twentyfold apart in size, of two models: candidate_cost with a light and with a
  heavy network. One JSON document; progress on stderr.
  --runs N          of each policy (default 5)
  --bursts N        of the trace (default 12)       --seed N    of the trace (default 1)
  --load X          against what fifo does when everything is there at once (default 0.8; 0: everything at once)
  --least N         candidates of the smallest shard (default 200)
  --factor N        how much larger the largest is (default 20)
  --bundle-orders N at most (default 3)
  --light AxN-B     hidden layers of the light network (default 320x2)
  --heavy AxN-B     of the heavy one (default 576x3)
  --deadline A-B    milliseconds from a round's arrival to its deadline, evenly between (default 5000-10000)
  --engines LIST    as ROUNDHOUSE_ENGINES (default auto)
  --at-once N       of each kind with everything there at once, first (default 1)
  --kinds LIST      of runs (default "fifo|staggered"); after ":" parameters of candidate_cost (docs/tensors.md) and
                    instances: "fifo|staggered|staggered:turns=on,instances=4"
  --per-order A-B   candidates an order of the light and of the heavy model's shards, a row of ETR each (default 6-6)
  --alone           also what full passes take that have the GPU for themselves
  --templates DIR   where shards are kept for the next time
  --spans FILE      every shard's phases in every run, gzipped JSON
  --kill            one more run in which an engine is killed half-way
  --scale           the trace, all at once, with each of --engines "0|0;1": how much faster several are
  --pool            6,000 requests/s of 4 KiB to the delay backend: the pool's peak (--rate N, --seconds N)
  --memory          six models on one device, the last of --kinds, each with a network of its own that keeps all
                    layers of --heavy alive: with one arena, within --gpu-memory-limit BYTES-BYTES, with an arena each`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const flags = {
  runs: text,
  seed: text,
  bursts: text,
  load: text,
  least: text,
  factor: text,
  'bundle-orders': text,
  light: text,
  heavy: text,
  deadline: text,
  engines: text,
  kill: flag,
  kinds: text,
  'at-once': text,
  'per-order': text,
  alone: flag,
  templates: text,
  spans: text,
  scale: flag,
  pool: flag,
  memory: flag,
  rate: text,
  seconds: text,
  'gpu-memory-limit': text,
};

function listOf(name: string, given: string, most: number): number[] {
  const numbers = given.split('-').map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : NaN));
  if (numbers.length <= most && numbers.every((number) => number > 0)) return numbers;
  throw new ArgumentsInvalid(`--${name} is ${given}: at most ${most} whole numbers above 0, joined by "-"`);
}

/** "512x24-64": 24 layers of 512, then one of 64. */
function layers(name: string, given: string): number[] {
  const widths = given.split('-').flatMap((part) => {
    const [, width, times = '1'] = /^(\d{1,5})(?:x(\d{1,3}))?$/.exec(part) ?? [];
    return Array<number>(Number(times)).fill(Number(width));
  });
  if (widths.length <= mostLayers && widths.length > 0 && widths.every((width) => width > 0)) return widths;
  throw new ArgumentsInvalid(`--${name} is ${given}: at most ${mostLayers} widths above 0, as in 512x4-64`);
}
const mostLayers = 128;

function deadlines(given: string): [number, number] {
  const [least, most = least] = listOf('deadline', given, 2);
  if (most! >= least!) return [least!, most!];
  throw new ArgumentsInvalid(`--deadline is ${given}: the first is above the second`);
}

function limits(given: string | undefined): readonly number[] {
  const parts = given === undefined ? [] : given.split('-');
  if (parts.every((part) => /^[1-9]\d{0,12}$/.test(part))) return parts.map(Number);
  throw new ArgumentsInvalid(`--gpu-memory-limit is ${given}: bytes, several of them joined by "-"`);
}

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): StaggerOptions {
  const given = readFlags(argv, flags);
  if (given.kinds !== undefined) runKinds(given.kinds);
  const modes = (['scale', 'pool', 'memory'] as const).filter((mode) => given[mode]);
  if (modes.length > 1) throw new ArgumentsInvalid(`--${modes.join(' and --')}: one of them`);
  type NumberName =
    'runs' | 'seed' | 'bursts' | 'bundle-orders' | 'least' | 'factor' | 'rate' | 'seconds' | 'at-once';
  const number = (name: NumberName, fallback: number, min: number, max: number): number =>
    numberFlag(name, given[name], { default: fallback, min, max });
  return {
    mode: modes[0] ?? 'compare',
    runs: number('runs', 5, 1, 1_000),
    seed: number('seed', 1, 1, 1_000_000),
    bursts: number('bursts', 12, 1, 100_000),
    load: numberFlag('load', given.load, { default: 0.8, min: 0, max: 10, whole: false }),
    least: number('least', 200, 1, 10_000),
    factor: number('factor', 20, 1, 1_000),
    bundleOrders: number('bundle-orders', 3, 1, 4),
    light: layers('light', given.light ?? '320x2'),
    heavy: layers('heavy', given.heavy ?? '576x3'),
    deadlineMs: deadlines(given.deadline ?? '5000-10000'),
    engines: (given.engines ?? 'auto').split('|'),
    kill: given.kill === true,
    atOnce: number('at-once', 1, 1, 1_000),
    kinds: given.kinds ?? 'fifo|staggered',
    perOrder: listOf('per-order', given['per-order'] ?? '6-6', 2),
    alone: given.alone === true,
    templates: given.templates ?? '',
    spans: given.spans ?? '',
    rate: number('rate', 6_000, 1, 1_000_000),
    seconds: number('seconds', 10, 1, 3_600),
    gpuMemoryLimits: limits(given['gpu-memory-limit']),
  };
}
