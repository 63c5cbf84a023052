import { createHash, type Hash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRef } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { configError } from './config';
import { liesInside } from './model-names';
import { modelLabels, readLabels, type ModelLabel, type ModelLabels } from './model-labels';
import { readInPieces, readInPiecesAside, type PieceReader } from './regular-file';

/** Where an engine puts the content hash of a version, in the parameters of its ModelConfig. */
export const contentHashParameter = 'roundhouse_content_hash';

/** Python's compiled modules, which it writes itself: they belong to no version. */
export const compiledFolder = '__pycache__';

/** Relative paths of all files below a folder, sorted by their bytes. */
function filesBelow(folder: string, prefix = ''): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.name === compiledFolder) continue;
    if (entry.isDirectory()) files.push(...filesBelow(folder, path));
    else files.push(path);
  }
  return files.sort((a, b) => (a < b ? -1 : 1));
}

function hashing(hash: Hash, path: string): PieceReader {
  return {
    size: (bytes) => hash.update(`${Buffer.byteLength(path)}:${path}:${bytes}:`),
    piece: (bytes) => hash.update(bytes),
  };
}

/** SHA-256 (hex) over the sorted relative paths and bytes of a version folder, each with its length. */
export function contentHashOf(versionFolder: string): string {
  const hash = createHash('sha256');
  for (const path of filesBelow(versionFolder)) {
    readInPieces(join(versionFolder, path), hashing(hash, path));
  }
  return hash.digest('hex');
}

/** The same, in pieces: whoever serves meanwhile goes on serving, however large a network is. */
export async function readContentHash(versionFolder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of filesBelow(versionFolder)) {
    await readInPiecesAside(join(versionFolder, path), hashing(hash, path));
  }
  return hash.digest('hex');
}

export interface ModelRepository {
  /** The models of a label, sorted by name; none for one that the file lacks. */
  refsOf(label: ModelLabel): readonly ModelRef[];
  /** Those that the file has. */
  readonly labels: readonly ModelLabel[];
  /** Of the rounds that name no label: the part that gets `canary`, from 0 to 1. */
  readonly canaryShare: number;
}

/** Names and versions were checked when the file was read; links are followed here. */
function versionFaults(folder: string, { models }: ModelLabels): Fault[] {
  const faults: Fault[] = [];
  for (const [label, versions] of models) {
    for (const [name, version] of versions) {
      const versionFolder = join(folder, name, version);
      const present = statSync(versionFolder, { throwIfNoEntry: false })?.isDirectory() === true;
      const limit = present ? `${versionFolder} leads out of the repository` : `no folder ${versionFolder}`;
      const good = present && liesInside(folder, versionFolder);
      if (!good) faults.push({ path: `${label}.${name}`, value: version, limit });
    }
  }
  return faults;
}

/** Labels of a folder whose version folders are all there. Throws CONFIG_INVALID with all that is wrong. */
export function readSoundLabels(folder: string): ModelLabels {
  const labels = readLabels(join(folder, 'labels.json'));
  const faults = versionFaults(folder, labels);
  if (faults.length > 0) throw configError(faults);
  return labels;
}

export function repositoryOf(
  labels: ModelLabels,
  hashOf: (name: string, version: string) => string,
): ModelRepository {
  const resolved = new Map<ModelLabel, readonly ModelRef[]>();
  for (const [label, versions] of labels.models) {
    const refs = [...versions].map(([name, version]) => {
      return Object.freeze({ name, version, contentHash: hashOf(name, version) });
    });
    resolved.set(label, Object.freeze(refs.sort((a, b) => (a.name < b.name ? -1 : 1))));
  }
  return {
    refsOf: (label) => resolved.get(label) ?? [],
    labels: modelLabels.filter((label) => resolved.has(label)),
    canaryShare: labels.canaryShare,
  };
}

/**
 * Reads `labels.json` of a model repository and hashes the version folders that it names. Throws
 * CONFIG_INVALID with file and field for everything wrong in it.
 */
export function loadModelRepository(folder: string): ModelRepository {
  const labels = readSoundLabels(folder);
  return repositoryOf(labels, (name, version) => contentHashOf(join(folder, name, version)));
}
