import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLabels } from '#lib/model-labels';
import { RoundhouseError } from '#schemas/errors';
import { labelsFile, labelsOfVersion, versionsOnDisk } from './repository-state';

const refused = (reason: string) => new RoundhouseError('CONFIG_INVALID', reason);

/**
 * Why a version may not go: rounds name versions, and a round that was cut before the labels changed may be
 * under way until the longest deadline has passed. null when it may.
 */
export function whyKept(
  folder: string,
  model: string,
  version: string,
  graceMs: number,
  now: number,
): string | null {
  const versions = versionsOnDisk(folder).get(model) ?? [];
  if (!versions.includes(version)) return `${model} ${version} is not in the repository`;
  if (versions.length === 1) return `${model} has no other version: unload it instead`;
  const names = labelsOfVersion(readLabels(labelsFile(folder)), model, version);
  if (names.length > 0) return `${model} ${version} is ${names.join(' and ')}`;
  const until = statSync(labelsFile(folder)).mtimeMs + graceMs;
  if (now >= until) return null;
  const time = new Date(until).toISOString();
  return `the labels changed lately: rounds may name ${model} ${version} until ${time} (--now: doesn't wait for them)`;
}

/** Out of the sight of engines, kept for replays: `MODEL/retired/VERSION`. */
export function moveToRetired(folder: string, model: string, version: string): string {
  const target = join(folder, model, 'retired', version);
  if (existsSync(target)) throw refused(`${target} is there already`);
  mkdirSync(join(folder, model, 'retired'), { recursive: true });
  renameSync(join(folder, model, version), target);
  return target;
}
