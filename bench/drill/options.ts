import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';
import { nearestName } from '#schemas/nearest-name';
import { drills } from './all';
import type { Drill, Scale } from './drill';

export interface DrillOptions {
  readonly drills: readonly Drill[];
  readonly scale: Scale;
  readonly seed: number;
  readonly list: boolean;
  readonly alerts: boolean;
  /** So many runs of a minute without a fault, in which no alert may fire; 0: none. */
  readonly quietRuns: number;
  /** Writes docs/fault-matrix.md. */
  readonly write: boolean;
}

export const usage = `npm run --silent drill [-- [--only A,B] [--quick] [--list] [--no-alerts] [--quiet-runs N] [--write]]
  Makes faults, one after the other, in a real pipeline on this machine, and measures what comes of each
  (docs/fault-drills.md). One JSON object; progress on stderr. Ends with 1 where a drill failed. All take some fifteen minutes.
  --only A,B        these drills
  --quick           small counts and short times
  --list            the drills, and nothing else
  --no-alerts       without Prometheus (ops/prometheus) beside it
  --quiet-runs N    first N runs without a fault, in which no alert may fire
  --seed N          of hostile bytes (1)
  --write           writes docs/fault-matrix.md`;

const text = { type: 'string' } as const;
const boolean = { type: 'boolean' } as const;

function named(only: string | undefined): readonly Drill[] {
  if (only === undefined) return drills;
  return only.split(',').map((name) => {
    const found = drills.find((drill) => drill.name === name);
    if (found !== undefined) return found;
    const names = drills.map((drill) => drill.name);
    const nearest = nearestName(name, names);
    const hint = nearest === null ? `the drills are ${names.join(', ')}` : `did you mean ${nearest}?`;
    throw new ArgumentsInvalid(`no drill ${name}: ${hint}`);
  });
}

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): DrillOptions {
  const given = readFlags(argv, {
    only: text,
    quick: boolean,
    list: boolean,
    'no-alerts': boolean,
    'quiet-runs': text,
    seed: text,
    write: boolean,
  });
  return {
    drills: named(given.only),
    scale: given.quick === true ? 'quick' : 'full',
    seed: numberFlag('seed', given.seed, { default: 1, min: 0, max: 2 ** 31 }),
    list: given.list === true,
    alerts: given['no-alerts'] !== true,
    quietRuns: numberFlag('quiet-runs', given['quiet-runs'], { default: 0, min: 0, max: 100 }),
    write: given.write === true,
  };
}
