import { choiceFlag, numberFlag, readFlags } from '#lib/command-line';
import { splitWords } from '../positionals';

export interface EtrOptions {
  readonly recording: string;
  readonly predictions: 'recorded' | 'network';
  readonly models: 'recorded' | 'stable' | 'canary';
  /** Groups of fewer orders are not shown. */
  readonly least: number;
  readonly top: number;
  readonly csv: string | null;
  readonly json: boolean;
  readonly skipCorrupt: boolean;
}

export const etrUsage = `npm run --silent replay -- etr RECORDING [--predictions recorded] [--models recorded] …
  How good predicted times were, against what happened: by merchant and hour of the day.
  --predictions WHICH  recorded (default): the quantile that each round used; network: both, asked of an engine
  --models WHICH       with network: recorded (default), stable, canary
  --least N            groups of at least N orders are shown, 1 to 1000000 (default 10)
  --top N              so many merchants, the worst first (default 20)
  --csv FILE           all groups as a table
  --json               one JSON document
  --skip-corrupt       tells of corrupt blocks and uses the rest`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const flags = {
  ...{ predictions: text, models: text, least: text, top: text, csv: text },
  ...{ json: flag, 'skip-corrupt': flag },
} as const;

/** Throws ArgumentsInvalid. */
export function parseEtr(argv: readonly string[]): EtrOptions {
  const { words, flags: rest } = splitWords(argv, ['RECORDING']);
  const values = readFlags(rest, flags);
  return {
    recording: words[0]!,
    predictions: choiceFlag('predictions', values.predictions, ['recorded', 'network']),
    models: choiceFlag('models', values.models, ['recorded', 'stable', 'canary']),
    least: numberFlag('least', values.least, { default: 10, min: 1, max: 1_000_000 }),
    top: numberFlag('top', values.top, { default: 20, min: 0, max: 100_000 }),
    csv: values.csv ?? null,
    json: values.json ?? false,
    skipCorrupt: values['skip-corrupt'] ?? false,
  };
}
