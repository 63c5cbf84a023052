import { numberFlag, readFlags } from '#lib/command-line';

export interface ConsoleBenchOptions {
  /** Of each measurement of processor time. */
  readonly seconds: number;
  /** Pages that are opened, each as a new visitor. */
  readonly visits: number;
}

export const usage = `npm run --silent bench -- console [--seconds 20] [--visits 10]
  A pipeline without rounds, and its console in Chromium (apt-get install chromium). One JSON line; progress on stderr.
  Processor time of the service and of the page, milliseconds until a page is painted and until it is whole, and of a scrape.
  --seconds N   of each measurement of processor time (default 20)
  --visits N    pages that are opened, each as a new visitor (default 10)`;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): ConsoleBenchOptions {
  const text = { type: 'string' } as const;
  const values = readFlags(argv, { seconds: text, visits: text });
  return {
    seconds: numberFlag('seconds', values.seconds, { default: 20, min: 1, max: 3_600 }),
    visits: numberFlag('visits', values.visits, { default: 10, min: 1, max: 1_000 }),
  };
}
