import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRef } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { configError } from './config';

export const modelLabels = ['stable', 'canary'] as const;
export type ModelLabel = (typeof modelLabels)[number];

/** Relative paths of all files below a folder, sorted by their bytes. */
function filesBelow(folder: string, prefix = ''): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) files.push(...filesBelow(folder, path));
    else files.push(path);
  }
  return files.sort((a, b) => (a < b ? -1 : 1));
}

/** SHA-256 (hex) over the sorted relative paths and bytes of a version folder, each with its length. */
export function contentHashOf(versionFolder: string): string {
  const hash = createHash('sha256');
  for (const path of filesBelow(versionFolder)) {
    const bytes = readFileSync(join(versionFolder, path));
    hash.update(`${Buffer.byteLength(path)}:${path}:${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}

type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readLabels(file: string): Labels {
  const fail = (limit: string, value = ''): never => {
    throw configError([{ path: file, value, limit }]);
  };
  if (!existsSync(file)) return fail('the file is absent');
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return fail(`not JSON: ${(error as Error).message}`);
  }
  if (!isPlainObject(parsed)) return fail('an object of labels');
  for (const [label, models] of Object.entries(parsed)) {
    if (!(modelLabels as readonly string[]).includes(label)) {
      fail(`labels are ${modelLabels.join(', ')}`, label);
    }
    const good = isPlainObject(models) && Object.values(models).every((v) => /^[1-9]\d*$/.test(String(v)));
    if (!good) fail('an object of model names with a version of digits each', label);
  }
  return parsed as Labels;
}

export interface ModelRepository {
  /** The models of a label, sorted by name, resolved once at construction. */
  refsOf(label: ModelLabel): readonly ModelRef[];
  readonly labels: readonly ModelLabel[];
}

function resolveLabel(folder: string, label: string, models: Readonly<Record<string, string>>) {
  const faults: Fault[] = [];
  const refs: ModelRef[] = [];
  for (const name of Object.keys(models).sort()) {
    const version = String(models[name]);
    const versionFolder = join(folder, name, version);
    const present = existsSync(versionFolder) && statSync(versionFolder).isDirectory();
    if (present) refs.push(Object.freeze({ name, version, contentHash: contentHashOf(versionFolder) }));
    else faults.push({ path: `${label}.${name}`, value: version, limit: `no folder ${versionFolder}` });
  }
  return { refs: Object.freeze(refs), faults };
}

/**
 * Reads `labels.json` of a model repository and hashes the version folders that it names. Throws
 * CONFIG_INVALID with file and field for everything wrong in it. A label that the file lacks has no models
 * and is not in `labels`.
 */
export function loadModelRepository(folder: string): ModelRepository {
  const labels = readLabels(join(folder, 'labels.json'));
  const resolved = new Map<string, readonly ModelRef[]>();
  const faults: Fault[] = [];
  for (const [label, models] of Object.entries(labels)) {
    const { refs, faults: found } = resolveLabel(folder, label, models);
    resolved.set(label, refs);
    faults.push(...found);
  }
  if (faults.length > 0) throw configError(faults);
  return {
    refsOf: (label) => resolved.get(label) ?? [],
    labels: modelLabels.filter((label) => resolved.has(label)),
  };
}
