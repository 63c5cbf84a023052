import { ArgumentsInvalid, numberList, readFlags } from '#lib/command-line';

export const networkKinds = ['auto', 'namespaces', 'loopback'] as const;
export type NetworkKind = (typeof networkKinds)[number];

export interface Options {
  readonly sizes: readonly number[];
  readonly concurrencies: readonly number[];
  /** Of each case and way. */
  readonly seconds: number;
  readonly network: NetworkKind;
  /** UCX_TLS. */
  readonly transports: string;
  /** Times that UCX is taken away under load. */
  readonly switches: number;
}

export const usage = `npm run --silent bench -- remote [--sizes 65536,1048576,4194304] [--concurrency 1,4]
    [--seconds 2] [--network auto|namespaces|loopback] [--transports tcp] [--switches 20]
  One JSON object. Round trips to another worker over UCX and over gRPC, in turns: "transfer" to the worker itself,
  which sends back what it got, and "engine" to a model that copies its input to its output. Then UCX is taken away
  under load, again and again, and every request has to be answered. auto: two network namespaces where we may make
  them, else loopback.`;

const text = { type: 'string' } as const;
const flags = {
  sizes: text,
  concurrency: text,
  seconds: text,
  network: text,
  transports: text,
  switches: text,
};

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): Options {
  const given = readFlags(argv, flags);
  const list = (flag: keyof typeof flags, fallback: string): number[] =>
    numberList(flag, given[flag] ?? fallback);
  const network = networkKinds.find((kind) => kind === (given.network ?? 'auto'));
  if (network === undefined) throw new ArgumentsInvalid(`--network is one of ${networkKinds.join(', ')}`);
  return {
    sizes: list('sizes', '65536,1048576,4194304'),
    concurrencies: list('concurrency', '1,4'),
    seconds: list('seconds', '2')[0]!,
    network,
    transports: given.transports ?? 'tcp',
    switches: list('switches', '20')[0]!,
  };
}
