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

/** Size, inode and times, nanoseconds and all; '' where there is nothing. */
function stamp(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.size}.${found.ino}.${found.mtimeNs}.${found.ctimeNs}`;
}

class LeadsOut extends Error {}

function stampsBelow(root: string, folder: string, prefix = ''): string[] {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  return entries.flatMap((entry: Dirent) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    const full = join(folder, path);
    if (entry.isSymbolicLink() && !liesInside(root, full)) {
      throw new LeadsOut(`${full} is a link that leads out of the repository, or nowhere`);
    }
    if (entry.name === compiledFolder) return [];
    if (entry.isDirectory()) return stampsBelow(root, folder, path);
    return [`${path}=${stamp(full)}`];
  });
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
      if (!liesInside(repository, path))
        throw new LeadsOut(`${path} leads out of the repository, or nowhere`);
      if (statSync(path).isDirectory())
        versions.set(version, stampsBelow(repository, path).sort().join('\n'));
    } catch (error) {
      if (error instanceof LeadsOut) refused.set(version, error.message);
    }
  }
  return { config: stamp(join(folder, 'config.pbtxt')), versions, refused };
}

/** Of everything in it, for a comparison. */
export function signatureOf({ config, versions, refused }: ModelFiles): string {
  return JSON.stringify([config, [...versions], [...refused]]);
}
