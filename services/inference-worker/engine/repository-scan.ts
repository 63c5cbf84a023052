import { existsSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { compiledFolder } from '#lib/model-repository';
import { isModelName, isModelVersion, liesInside } from '#lib/model-names';

/** What a model's folder holds now. A signature changes with every change of a file that can be seen. */
export interface ModelFiles {
  readonly config: string;
  /** Signature by version, ascending. */
  readonly versions: ReadonlyMap<string, string>;
  /** Why versions that are there can't be taken, by version. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Folders of a model repository that hold a model, sorted. */
export function modelsIn(repository: string): string[] {
  return readdirSync(repository)
    .filter((name) => isModelName(name) && existsSync(join(repository, name, 'config.pbtxt')))
    .filter((name) => liesInside(repository, join(repository, name)))
    .sort();
}

class Refused extends Error {}

/** Size, inode and times, nanoseconds and all; '' where there is nothing. Whoever reads a pipe may wait for good. */
function stamp(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Refused(`${path} is no regular file`);
  return found === undefined ? '' : `${found.size}.${found.ino}.${found.mtimeNs}.${found.ctimeNs}`;
}

/** A folder that goes while it is looked at. */
function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function stampsBelow(root: string, folder: string, prefix = ''): string[] {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  return entries.flatMap((entry: Dirent) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    const full = join(folder, path);
    if (entry.isSymbolicLink() && !liesInside(root, full)) {
      throw new Refused(`${full} is a link that leads out of the repository, or nowhere`);
    }
    if (entry.name === compiledFolder) return [];
    if (entry.isDirectory()) return stampsBelow(root, folder, path);
    return [`${path}=${stamp(full)}`];
  });
}

/** What is wrong with it is for whoever reads it to say. */
function configStamp(path: string): string {
  try {
    return stamp(path);
  } catch {
    return 'unreadable';
  }
}

/** Names that aren't versions (`.2.tmp`, `retired`) are no versions; a folder that goes meanwhile isn't there. */
export function scanModel(repository: string, model: string): ModelFiles {
  const folder = join(repository, model);
  const versions = new Map<string, string>();
  const refused = new Map<string, string>();
  const names = readdirSync(folder).filter(isModelVersion);
  for (const version of names.sort((a, b) => Number(a) - Number(b))) {
    const path = join(folder, version);
    try {
      if (!liesInside(repository, path)) throw new Refused(`${path} leads out of the repository, or nowhere`);
      if (statSync(path).isDirectory())
        versions.set(version, stampsBelow(repository, path).sort().join('\n'));
    } catch (error) {
      if (!isGone(error)) refused.set(version, (error as Error).message);
    }
  }
  return { config: configStamp(join(folder, 'config.pbtxt')), versions, refused };
}

/** Of everything in it, for a comparison. */
export function signatureOf({ config, versions, refused }: ModelFiles): string {
  return JSON.stringify([config, [...versions], [...refused]]);
}
