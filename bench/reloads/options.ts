import { numberFlag, readFlags } from '#lib/command-line';

export interface Options {
  readonly reloads: number;
  readonly switches: number;
  readonly cycles: number;
  /** Requests a second through the hot path; a tenth of it goes through gRPC as well. */
  readonly rate: number;
}

export const usage = `npm run --silent bench -- reloads [--reloads 1000] [--switches 300] [--cycles 1000] [--rate 400]
  One JSON object. Model operations in an engine with the shipped models while shards come through the hot path and
  through gRPC: reloads (every version of candidate_cost anew), switches (a new version folder is loaded, named by
  requests, and the old one retired), and cycles (delivery_time is unloaded and loaded). Failed requests by code, and
  growth of the engine's resident memory an operation after the first 50 (or a sixth of fewer). Its readings differ by
  a quarter of a megabyte (pages of heaps): with 300 operations that is 1 KB an operation, with 1000 0.2.`;

const text = { type: 'string' } as const;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): Options {
  const given = readFlags(argv, { reloads: text, switches: text, cycles: text, rate: text });
  const count = (flag: keyof Options, usual: number) =>
    numberFlag(flag, given[flag], { default: usual, min: 0, max: 100_000 });
  return {
    reloads: count('reloads', 1_000),
    switches: count('switches', 300),
    cycles: count('cycles', 1_000),
    rate: count('rate', 400),
  };
}
