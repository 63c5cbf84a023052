import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { modelLabels, readLabels, type ModelLabels } from '#lib/model-labels';
import { isModelName, isModelVersion, liesInside } from '#lib/model-names';
import { readContentHash } from '#lib/model-repository';
import { readRegularFile } from '#lib/regular-file';
import type { EngineControl } from './engine-control';

/** A version as one engine has it, or as it lies in the repository where no engine was asked. */
export interface VersionRow {
  readonly model: string;
  /** '' for a model without any. */
  readonly version: string;
  readonly engine: string;
  /** READY, UNAVAILABLE, …; 'not loaded'. */
  readonly state: string;
  readonly labels: readonly string[];
  /** Of the folder now; null where there is none. */
  readonly contentHash: string | null;
  /** What the engine loaded; null where it doesn't say. */
  readonly servedHash: string | null;
  readonly reason: string;
}

/** Versions by model as they lie in the repository. */
export function versionsOnDisk(folder: string): Map<string, string[]> {
  const models = new Map<string, string[]>();
  for (const name of readdirSync(folder).filter(isModelName).sort()) {
    const path = join(folder, name);
    if (!existsSync(join(path, 'config.pbtxt')) || !liesInside(folder, path)) continue;
    const versions = readdirSync(path).filter((version) => {
      const there = join(path, version);
      return isModelVersion(version) && liesInside(folder, there) && statSync(there).isDirectory();
    });
    models.set(
      name,
      versions.sort((a, b) => Number(a) - Number(b)),
    );
  }
  return models;
}

export function labelsFile(folder: string): string {
  return join(folder, 'labels.json');
}

export function labelsOfVersion(labels: ModelLabels, model: string, version: string): string[] {
  return modelLabels.filter((label) => labels.models.get(label)?.get(model) === version);
}

/** The network that a version of `candidate_cost` pins (ADR 0004), as the version of `delivery_time`; or null. */
export function pinnedNetwork(folder: string, model: string, version: string): string | null {
  try {
    const text = readRegularFile(join(folder, model, version, 'network.json')).toString();
    const { network } = JSON.parse(text) as { network?: unknown };
    return /^delivery_time\/([1-9]\d*)\//.exec(String(network))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Content hashes of version folders; null of one that is absent, or can't be read. */
export class FolderHashes {
  private readonly known = new Map<string, Promise<string | null>>();

  constructor(private readonly folder: string) {}

  of(model: string, version: string): Promise<string | null> {
    const path = join(this.folder, model, version);
    const known = this.known.get(path) ?? this.read(path);
    this.known.set(path, known);
    return known;
  }

  /** What leads out of the repository is none of it; what can't be read is for `verify` and the engines to say. */
  private read(path: string): Promise<string | null> {
    return liesInside(this.folder, path) ? readContentHash(path).catch(() => null) : Promise.resolve(null);
  }
}

async function rowsOf(folder: string, engine: EngineControl, hashes: FolderHashes): Promise<VersionRow[]> {
  const labels = readLabels(labelsFile(folder));
  const states = await engine.index();
  const listed = new Set(states.map(({ name, version }) => `${name} ${version}`));
  const missing = [...versionsOnDisk(folder)].flatMap(([name, versions]) =>
    versions
      .filter((version) => !listed.has(`${name} ${version}`))
      .map((version) => ({ name, version, state: 'not loaded', reason: '' })),
  );
  // A model that isn't loaded stands in the index without a version; its folders say more.
  const all = [...states, ...missing].filter(
    ({ name, version, reason }) =>
      version !== '' || reason !== '' || !missing.some((row) => row.name === name),
  );
  return Promise.all(
    all.map(async ({ name: model, version, state, reason }) => ({
      model,
      version,
      engine: engine.url,
      state: state || 'not loaded',
      labels: labelsOfVersion(labels, model, version),
      contentHash: version === '' ? null : await hashes.of(model, version),
      servedHash: state === 'READY' ? await engine.contentHash(model, version) : null,
      reason,
    })),
  );
}

export async function stateOf(folder: string, engines: readonly EngineControl[]): Promise<VersionRow[]> {
  const hashes = new FolderHashes(folder);
  const rows = (await Promise.all(engines.map((engine) => rowsOf(folder, engine, hashes)))).flat();
  const order = (row: VersionRow) => `${row.model} ${row.version.padStart(15, '0')}`;
  return rows.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Why a version can't be relied on where it serves; null when it can. */
export function servingFault(row: VersionRow): string | null {
  if (row.state !== 'READY') return `${row.state}${row.reason && `: ${row.reason}`}`;
  if (row.servedHash === null || row.servedHash === row.contentHash) return null;
  return `serves content ${row.servedHash.slice(0, 12)}, the folder has ${row.contentHash?.slice(0, 12) ?? 'none'}`;
}
