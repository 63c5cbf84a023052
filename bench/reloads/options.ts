import { numberFlag, readFlags } from '#lib/command-line';

export interface Options {
  readonly reloads: number;
  readonly switches: number;
  readonly cycles: number;
  /** Requests a second through the hot path; a tenth of it goes through gRPC as well. */
  readonly rate: number;
}

export const usage = `npm run --silent bench -- reloads [--reloads 300] [--switches 300] [--cycles 500] [--rate 400]
  One JSON object. Model operations in an engine with the shipped models while shards come through the hot path and
  through gRPC: reloads (every version of candidate_cost anew), switches (a new version folder is loaded, named by
  requests, and the old one retired), and cycles (delivery_time is unloaded and loaded). Failed requests by code, and
  growth of the engine's resident memory an operation after the first 50 (or a sixth of fewer).`;

const text = { type: 'string' } as const;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): Options {
  const given = readFlags(argv, { reloads: text, switches: text, cycles: text, rate: text });
  const count = (flag: keyof Options, usual: number) =>
    numberFlag(flag, given[flag], { default: usual, min: 0, max: 100_000 });
  return {
    reloads: count('reloads', 300),
    switches: count('switches', 300),
    cycles: count('cycles', 500),
    rate: count('rate', 400),
  };
}
