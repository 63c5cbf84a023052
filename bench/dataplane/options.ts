export interface Options {
  readonly sizes: readonly number[];
  readonly concurrencies: readonly number[];
  /** Of each case and way. */
  readonly seconds: number;
  /** 0: no sustained run. */
  readonly sustainSeconds: number;
  readonly sustainRate: number;
}

const flags = ['sizes', 'concurrency', 'seconds', 'sustain', 'rate'] as const;
type Flag = (typeof flags)[number];

function numbers(text: string, flag: Flag): number[] {
  const values = text.split(',').map(Number);
  if (values.some((value) => !Number.isFinite(value) || value < 0)) {
    throw new Error(`--${flag} ${text}: numbers, separated by commas`);
  }
  return values;
}

export function parseOptions(args: readonly string[]): Options {
  const given = new Map<Flag, string>();
  for (let at = 0; at < args.length; at += 2) {
    const flag = flags.find((name) => `--${name}` === args[at]);
    if (flag === undefined || args[at + 1] === undefined) {
      throw new Error(`${args[at]}: one of ${flags.map((name) => `--${name} VALUE`).join(', ')}`);
    }
    given.set(flag, args[at + 1]!);
  }
  const list = (flag: Flag, fallback: string): number[] => numbers(given.get(flag) ?? fallback, flag);
  return {
    sizes: list('sizes', '4096,65536,1048576,4194304'),
    concurrencies: list('concurrency', '1,16'),
    seconds: list('seconds', '2')[0]!,
    sustainSeconds: list('sustain', '0')[0]!,
    sustainRate: list('rate', '6000')[0]!,
  };
}
