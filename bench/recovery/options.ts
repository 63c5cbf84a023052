import { choiceFlag, numberFlag, readFlags } from '#lib/command-line';

export interface RecoveryOptions {
  readonly kills: number;
  readonly by: KillBy;
  readonly ways: readonly Way[];
  readonly roundsPerSecond: number;
  readonly candidates: number;
  readonly shards: number;
  readonly warmUpSeconds: number;
  /** From the first good outcome after a kill to the next kill, at least. */
  readonly everyMs: number;
  readonly seed: number;
}

/** SIGKILL; or, on a machine with a GPU, a kernel of the engine that writes to an illegal address. */
export const killWays = ['sigkill', 'illegal-address'] as const;
export type KillBy = (typeof killWays)[number];

/** With a warm standby and short deadlines, or with neither. */
export interface Way {
  readonly standby: boolean;
  readonly deadlineMs: number;
}

export const usage = `npm run --silent bench -- recovery [--kills 50] [--by sigkill] [--standby 0|1] [--deadline-ms 1000|5000]
  [--every-ms 2500] [--rate 5] [--candidates 2000] [--shards 4] [--warm-up 10] [--seed 1]
  One JSON object; progress on stderr. The load of the pipeline bench while the active engine is killed again and
  again; a kill takes about five seconds, so the defaults take ten minutes.
  --kills N         of each way (default 50)
  --by WAY          sigkill (default), or illegal-address: a kernel breaks the engine's GPU (docs/gpu.md)
  --standby 0|1     one way alone; without it both: with a standby and deadlines of 1,000 ms, without one and 5,000 ms
  --every-ms MS     from the first good outcome after a kill to the next kill, at least (default 2500)
  endedMs…: from a kill to the end of the process. firstGoodMs…: from a kill to the first outcome of another engine. lostShards: of accepted rounds, without an outcome
  by the deadline. degradedRounds: decided without some candidates. refused: by ingest, mostly for a deadline that
  was too near when the round was cut (a busy machine); the first reason is told on stderr.`;

/** Throws ArgumentsInvalid with the flag and its range. */
export function parseOptions(argv: readonly string[]): RecoveryOptions {
  const text = { type: 'string' } as const;
  const values = readFlags(argv, {
    kills: text,
    by: text,
    standby: text,
    'deadline-ms': text,
    'every-ms': text,
    rate: text,
    candidates: text,
    shards: text,
    'warm-up': text,
    seed: text,
  });
  type Flag = keyof typeof values;
  const number = (flag: Flag, fallback: number, min: number, max: number, whole = true): number =>
    numberFlag(flag, values[flag], { default: fallback, min, max, whole });
  const chosen = values.standby === undefined ? [1, 0] : [number('standby', 1, 0, 1)];
  const ways = chosen.map((standby) => ({
    standby: standby === 1,
    deadlineMs: number('deadline-ms', standby === 1 ? 1_000 : 5_000, 300, 60_000),
  }));
  return {
    kills: number('kills', 50, 1, 1_000),
    by: choiceFlag('by', values.by, killWays),
    ways,
    roundsPerSecond: number('rate', 5, 0.1, 50, false),
    candidates: number('candidates', 2_000, 1, 20_000),
    shards: number('shards', 4, 1, 64),
    warmUpSeconds: number('warm-up', 10, 1, 600, false),
    everyMs: number('every-ms', 2_500, 2_500, 60_000),
    seed: number('seed', 1, 0, 2 ** 31),
  };
}
