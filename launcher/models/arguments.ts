import { ArgumentsInvalid, readFlags } from '#lib/command-line';
import { modelLabels, type ModelLabel } from '#lib/model-labels';
import { isModelName, isModelVersion, modelNameLimit, modelVersionLimit } from '#lib/model-names';
import { shownText } from '#schemas/shown-text';

export const usage = `npm run --silent models -- COMMAND [--url host:port]... [--json]
  list                              models, versions, states, labels, content hashes and reasons
  load MODEL...                     takes up what changed in a model's folder; what serves goes on serving
  reload MODEL...                   the same, and loads every version anew though nothing changed
  unload MODEL...                   all versions of a model; requests for it are refused from then on
  label LABEL [MODEL=VERSION...] [--share PART] [--offline]
                                    gives versions a label (stable, canary), and canary its part of the rounds
                                    that name no label: 10% or 0.1; refuses versions that no engine serves
  retire MODEL=VERSION [--now]      moves a version out of service, into MODEL/retired; refused while a label
                                    names it or rounds under way may (--now: doesn't wait for these)
  verify [MODEL[=VERSION]...] [--offline]
                                    loads each version in an engine of its own and compares content hashes with
                                    those that engines serve, and both with the labels
  --url host:port   an engine (a worker's gRPC port), several for several; default 127.0.0.1:8001
  --json            one JSON document instead of text
Reads ROUNDHOUSE_MODELS_DIR. Ends with 0, with 1 where something is wrong or was refused, with 2 for a wrong command line.`;

export interface NamedVersion {
  readonly model: string;
  /** null: all of them. */
  readonly version: string | null;
}

export interface Invocation {
  readonly command: 'list' | 'load' | 'reload' | 'unload' | 'label' | 'retire' | 'verify';
  readonly urls: readonly string[];
  readonly json: boolean;
  readonly offline: boolean;
  readonly now: boolean;
  readonly label: ModelLabel | null;
  readonly share: number | null;
  readonly models: readonly NamedVersion[];
}

const commands = ['list', 'load', 'reload', 'unload', 'label', 'retire', 'verify'] as const;
const flags = {
  url: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  offline: { type: 'boolean' },
  now: { type: 'boolean' },
  share: { type: 'string' },
} as const;

const shown = (text: string) => JSON.stringify(shownText(text, 100));

function readModel(word: string, wantsVersion: boolean | null): NamedVersion {
  const [model = '', version, ...more] = word.split('=');
  if (!isModelName(model)) throw new ArgumentsInvalid(`${shown(model)} is not ${modelNameLimit}`);
  if (version === undefined && wantsVersion !== true) return { model, version: null };
  if (wantsVersion === false)
    throw new ArgumentsInvalid(`${shown(word)}: a model without a version is wanted`);
  if (version === undefined) throw new ArgumentsInvalid(`${shown(word)}: MODEL=VERSION is wanted`);
  const text = [version, ...more].join('=');
  if (!isModelVersion(text)) throw new ArgumentsInvalid(`${shown(text)} is not ${modelVersionLimit}`);
  return { model, version: text };
}

function readShare(text: string | undefined, label: ModelLabel | null): number | null {
  if (text === undefined) return null;
  if (label !== 'canary') throw new ArgumentsInvalid('--share is canary’s: label canary … --share 10%');
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const share = percent === '%' ? Number(digits) / 100 : Number(digits);
  if (share >= 0 && share <= 1) return share;
  throw new ArgumentsInvalid(`--share is ${shown(text)}: 0% to 100%, or 0 to 1`);
}

function readUrl(url: string): string {
  const port = /^(?:[\w.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(url)?.[1];
  if (port !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return url;
  if (/^unix:\/[^\0]{1,106}$/.test(url)) return url;
  throw new ArgumentsInvalid(`--url is ${shown(url)}: host:port is wanted, a port from 1 to 65535`);
}

function readLabel(word: string | undefined): ModelLabel {
  const label = modelLabels.find((one) => one === word);
  if (label !== undefined) return label;
  throw new ArgumentsInvalid(`a label is wanted: ${modelLabels.join(' or ')}`);
}

/** Whether a command wants versions: true, false, or null for either. */
const versions = {
  list: null,
  load: false,
  reload: false,
  unload: false,
  label: true,
  retire: true,
  verify: null,
};
const needsModels = ['load', 'reload', 'unload', 'retire'];

/** Flags begin with `--`; a value stands behind its flag, or behind `=` in it. */
function split(argv: readonly string[]): { words: string[]; rest: string[] } {
  const words: string[] = [];
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i]!;
    if (!word.startsWith('-')) words.push(word);
    else {
      rest.push(word);
      const takesValue = ['--url', '--share'].includes(word);
      if (takesValue && argv[i + 1] !== undefined) rest.push(argv[(i += 1)]!);
    }
  }
  return { words, rest };
}

function lackingCommand(word: string | undefined): string {
  const wanted = `a command is wanted: ${commands.join(', ')}`;
  return word === undefined ? wanted : `${shown(word)}: ${wanted}`;
}

export function readInvocation(argv: readonly string[]): Invocation {
  const { words, rest } = split(argv);
  const [word, ...operands] = words;
  const command = commands.find((one) => one === word);
  if (command === undefined) throw new ArgumentsInvalid(lackingCommand(word));
  const given = readFlags(rest, flags);
  const label = command === 'label' ? readLabel(operands.shift()) : null;
  const models = operands.map((operand) => readModel(operand, versions[command]));
  if (command === 'list' && models.length > 0) throw new ArgumentsInvalid('list takes no models');
  if (models.length === 0 && needsModels.includes(command)) throw new ArgumentsInvalid('no model is named');
  const share = readShare(given.share, label);
  if (command === 'label' && models.length === 0 && share === null) {
    throw new ArgumentsInvalid('nothing to change: MODEL=VERSION or --share');
  }
  const urls = (given.url ?? ['127.0.0.1:8001']).map(readUrl);
  const { json = false, offline = false, now = false } = given;
  return { command, urls, json, offline, now, label, share, models };
}
