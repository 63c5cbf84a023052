import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';

export interface TraceOptions {
  readonly from: string;
  readonly chrome: string | null;
  readonly svg: string | null;
  /** Milliseconds after the trace's begin, and how many of them are drawn; null: to its end. */
  readonly startMs: number;
  readonly lengthMs: number | null;
  readonly width: number;
  readonly title: string;
}

export const usage = `npm run trace -- --from FILE [--chrome OUT.json] [--svg OUT.svg]
  Turns what a worker wrote to ROUNDHOUSE_TRACE_FILE into pictures, and prints how busy each resource was.
  --chrome FILE   a Chrome trace, for ui.perfetto.dev and chrome://tracing
  --svg FILE      a timeline of the resources
  --start MS      of the timeline, after the trace's begin (default 0)
  --length MS     of the timeline (default to its end)
  --width PX      of the timeline (default 1200)
  --title TEXT    of the timeline`;

const day = 86_400_000;

/** Throws ArgumentsInvalid. */
export function parseOptions(argv: readonly string[]): TraceOptions {
  const text = { type: 'string' } as const;
  const flags = { from: text, chrome: text, svg: text, start: text, length: text, width: text, title: text };
  const { from, chrome = null, svg = null, title = '', ...numbers } = readFlags(argv, flags);
  if (from === undefined) throw new ArgumentsInvalid('--from FILE is needed: a trace of a worker');
  const length = numberFlag('length', numbers.length, { default: 0, min: 0, max: day, whole: false });
  return {
    from,
    chrome,
    svg,
    title,
    startMs: numberFlag('start', numbers.start, { default: 0, min: 0, max: day, whole: false }),
    lengthMs: numbers.length === undefined ? null : length,
    width: numberFlag('width', numbers.width, { default: 1_200, min: 300, max: 20_000 }),
  };
}
