import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { loadModelRepository, readContentHash } from '#lib/model-repository';
import type { ModelRef } from '#schemas/domain';
import { recordingInvalid } from '../container/container-reader';

/** A repository that has certain versions in the place where engines look. */
export interface ModelsAtHand {
  readonly folder: string;
  remove(): void;
}

const shown = ({ name, version, contentHash }: ModelRef): string =>
  `${name} ${version} (${contentHash.slice(0, 12)})`;

interface Found {
  readonly model: ModelRef;
  readonly retired: boolean;
}

async function isThere(folder: string, contentHash: string): Promise<boolean> {
  return existsSync(folder) && (await readContentHash(folder).catch(() => null)) === contentHash;
}

/** Where a version lies with the content that it had; null where it doesn't. */
async function find(modelsDir: string, model: ModelRef): Promise<Found | null> {
  const { name, version, contentHash } = model;
  if (await isThere(join(modelsDir, name, version), contentHash)) return { model, retired: false };
  const retired = await isThere(join(modelsDir, name, 'retired', version), contentHash);
  return retired ? { model, retired } : null;
}

/** What another version of the same number had to make way for. */
function putBack(folder: string, { name, version }: ModelRef): void {
  rmSync(join(folder, name, version), { recursive: true, force: true });
  renameSync(join(folder, name, 'retired', version), join(folder, name, version));
}

/**
 * A repository in which each of the models serves: the given one, or a copy with retired versions put back.
 * Throws RECORDING_INVALID, naming them, where some are nowhere or have other content.
 */
export async function modelsAtHand(modelsDir: string, models: readonly ModelRef[]): Promise<ModelsAtHand> {
  const found = await Promise.all(models.map((model) => find(modelsDir, model)));
  const absent = models.filter((_, index) => found[index] === null);
  if (absent.length > 0) {
    const names = absent.map(shown).join(', ');
    throw recordingInvalid(
      `${modelsDir} doesn't have ${names} of the recording, neither in place nor retired; --models stable replays with today's`,
    );
  }
  const retired = found.filter((one) => one?.retired === true).map((one) => one!.model);
  if (retired.length === 0) return { folder: modelsDir, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
  cpSync(modelsDir, folder, { recursive: true, filter: (path) => basename(path) !== 'training' });
  retired.forEach((model) => putBack(folder, model));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The models of a label now. */
export function modelsOfLabel(modelsDir: string, label: 'stable' | 'canary'): readonly ModelRef[] {
  const refs = loadModelRepository(modelsDir).refsOf(label);
  if (refs.length > 0) return refs;
  throw recordingInvalid(`${join(modelsDir, 'labels.json')} has no label ${label}`);
}
