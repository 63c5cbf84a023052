import { existsSync } from 'node:fs';
import type { Fault } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import { configError } from './config';
import { isModelName, isModelVersion, modelNameLimit, modelVersionLimit } from './model-names';
import { readRegularFile } from './regular-file';

export const modelLabels = ['stable', 'canary'] as const;
export type ModelLabel = (typeof modelLabels)[number];

/** What `labels.json` of a model repository says. */
export interface ModelLabels {
  /** Versions by model by label. */
  readonly models: ReadonlyMap<ModelLabel, ReadonlyMap<string, string>>;
  /** Of the rounds that name no label: the part that gets `canary`, from 0 to 1. */
  readonly canaryShare: number;
}

const keys = [...modelLabels, 'canaryShare'];

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shown = (value: unknown): string => shownText(JSON.stringify(value) ?? String(value), 100);

function readVersions(label: string, value: unknown, faults: Fault[]): Map<string, string> {
  const versions = new Map<string, string>();
  if (!isPlainObject(value)) {
    faults.push({ path: label, value: shown(value), limit: 'an object of model names with a version each' });
    return versions;
  }
  for (const [name, version] of Object.entries(value)) {
    const path = `${label}.${shownText(name, 100)}`;
    if (!isModelName(name)) faults.push({ path, value: shown(name), limit: modelNameLimit });
    else if (!isModelVersion(version)) faults.push({ path, value: shown(version), limit: modelVersionLimit });
    else versions.set(name, version);
  }
  return versions;
}

function readShare(value: unknown, hasCanary: boolean, faults: Fault[]): number {
  if (value === undefined) return 0;
  const good = typeof value === 'number' && value >= 0 && value <= 1;
  if (!good) faults.push({ path: 'canaryShare', value: shown(value), limit: 'a number from 0 to 1' });
  else if (value > 0 && !hasCanary) {
    faults.push({ path: 'canaryShare', value: shown(value), limit: '0 where there is no label canary' });
  }
  return good ? value : 0;
}

/** Reads parsed JSON; what is wrong in it goes to `faults`, all of it. */
export function labelsOf(parsed: unknown, faults: Fault[]): ModelLabels {
  const models = new Map<ModelLabel, Map<string, string>>();
  if (!isPlainObject(parsed)) {
    faults.push({ path: '', value: shown(parsed), limit: 'an object of labels' });
    return { models, canaryShare: 0 };
  }
  for (const key of Object.keys(parsed).filter((key) => !keys.includes(key))) {
    faults.push({ path: shownText(key, 100), value: shown(parsed[key]), limit: `one of ${keys.join(', ')}` });
  }
  for (const label of modelLabels.filter((label) => Object.hasOwn(parsed, label))) {
    models.set(label, readVersions(label, parsed[label], faults));
  }
  if (!models.has('stable'))
    faults.push({ path: 'stable', value: 'absent', limit: 'the label of all rounds' });
  const canaryShare = readShare(parsed['canaryShare'], models.has('canary'), faults);
  return { models, canaryShare };
}

/** Throws CONFIG_INVALID with the file and every fault in it. */
export function readLabels(file: string): ModelLabels {
  const absent = (limit: string) => configError([{ path: file, value: '', limit }]);
  if (!existsSync(file)) throw absent('the file is absent; ROUNDHOUSE_MODELS_DIR names the folder of models');
  let parsed: unknown;
  try {
    parsed = JSON.parse(readRegularFile(file).toString());
  } catch (error) {
    const why = error instanceof SyntaxError ? 'not JSON' : "can't be read";
    throw absent(`${why}: ${(error as Error).message}`);
  }
  const faults: Fault[] = [];
  const labels = labelsOf(parsed, faults);
  if (faults.length === 0) return labels;
  throw configError(faults.map((fault) => ({ ...fault, path: `${file}: ${fault.path}` })));
}

/** As it stands in the file: one line a label. */
export function labelsText({ models, canaryShare }: ModelLabels): string {
  const lines = [...models].map(([label, versions]) => {
    const pairs = [...versions].map(([name, version]) => `${JSON.stringify(name)}: "${version}"`);
    return `  "${label}": { ${pairs.join(', ')} }`;
  });
  const share = models.has('canary') ? [`  "canaryShare": ${canaryShare}`] : [];
  return `{\n${[...lines, ...share].join(',\n')}\n}\n`;
}
