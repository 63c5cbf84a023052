import { numberList, readFlags } from '#lib/command-line';

export interface Options {
  readonly sizes: readonly number[];
  readonly concurrencies: readonly number[];
  /** Of each case and way. */
  readonly seconds: number;
  /** 0: no sustained run. */
  readonly sustainSeconds: number;
  readonly sustainRate: number;
}

export const usage = `npm run --silent bench -- dataplane [--sizes 4096,…] [--concurrency 1,16] [--seconds 2]
    [--sustain 0 --rate 6000]
  One JSON object. Round trips to a model that copies its input to its output: called in this process, and in an
  engine through gRPC with the bytes in the message, through gRPC with the bytes in registered shared memory, and
  through the hot path. All ways of a case are measured in turns.`;

const text = { type: 'string' } as const;
const flags = { sizes: text, concurrency: text, seconds: text, sustain: text, rate: text };

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): Options {
  const given = readFlags(argv, flags);
  const list = (flag: keyof typeof flags, fallback: string): number[] =>
    numberList(flag, given[flag] ?? fallback);
  return {
    sizes: list('sizes', '4096,65536,1048576,4194304'),
    concurrencies: list('concurrency', '1,16'),
    seconds: list('seconds', '2')[0]!,
    sustainSeconds: list('sustain', '0')[0]!,
    sustainRate: list('rate', '6000')[0]!,
  };
}
