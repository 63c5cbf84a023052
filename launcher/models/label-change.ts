import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { labelsText, type ModelLabel, type ModelLabels } from '#lib/model-labels';
import { RoundhouseError } from '#schemas/errors';
import { servingFault, type VersionRow } from './repository-state';

export interface LabelChange {
  readonly label: ModelLabel;
  readonly versions: ReadonlyMap<string, string>;
  /** null: as it is. */
  readonly share: number | null;
}

/** The labels after a change. A canary that there was not yet begins as what is stable. */
export function changedLabels(before: ModelLabels, { label, versions, share }: LabelChange): ModelLabels {
  const models = new Map(before.models);
  const base = before.models.get(label) ?? before.models.get('stable') ?? new Map<string, string>();
  models.set(label, new Map([...base, ...versions]));
  return { models, canaryShare: share ?? before.canaryShare };
}

/** What differs, a line each. */
export function differences(before: ModelLabels, after: ModelLabels): string[] {
  const lines: string[] = [];
  for (const [label, versions] of after.models) {
    const old = before.models.get(label);
    for (const [model, version] of versions) {
      const was = old?.get(model);
      if (was !== version) lines.push(`${label}: ${model} ${was ?? 'none'} -> ${version}`);
    }
  }
  if (before.canaryShare !== after.canaryShare) {
    lines.push(`canaryShare: ${percent(before.canaryShare)} -> ${percent(after.canaryShare)}`);
  }
  return lines;
}

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))}%`;
}

/**
 * Why a label can't stand: a version that is not there, that some engine doesn't serve, or a network that isn't
 * the one the label names, since a decision would name another than the one that it was made with.
 */
export function labelFaults(
  label: ModelLabel,
  versions: ReadonlyMap<string, string>,
  rows: readonly VersionRow[] | null,
  parts: {
    readonly exists: (model: string, version: string) => boolean;
    readonly networkOf: (model: string, version: string) => string | null;
  },
): string[] {
  const faults: string[] = [];
  for (const [model, version] of versions) {
    if (!parts.exists(model, version)) {
      faults.push(`${label}: ${model} ${version} is not in the repository`);
      continue;
    }
    faults.push(...serving(label, model, version, rows));
    const network = parts.networkOf(model, version);
    const named = versions.get('delivery_time');
    if (network !== null && named !== undefined && network !== named) {
      const fix = `add delivery_time=${network}`;
      faults.push(
        `${label}: ${model} ${version} works with delivery_time ${network}, the label names ${named}: ${fix}`,
      );
    }
  }
  return faults;
}

function serving(
  label: string,
  model: string,
  version: string,
  rows: readonly VersionRow[] | null,
): string[] {
  if (rows === null) return [];
  const found = rows.filter((row) => row.model === model && row.version === version);
  if (found.length === 0) return [`${label}: ${model} ${version} is served by no engine that was asked`];
  return found.flatMap((row) => {
    const fault = servingFault(row);
    return fault === null ? [] : [`${label}: ${model} ${version} at ${row.engine}: ${fault}`];
  });
}

function writeThrough(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o644);
  try {
    // As often as it takes: a nearly full disk takes a part without an error.
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Whole or not at all: readers see the old file or the new one. Throws CONFIG_INVALID where it can't be written. */
export function writeLabels(file: string, labels: ModelLabels): void {
  const fresh = `${file}.new-${randomUUID()}`;
  try {
    writeThrough(fresh, labelsText(labels));
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new RoundhouseError('CONFIG_INVALID', `${file} can't be written: ${(error as Error).message}`);
  }
}
