import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { makeFolder } from './make-folder.mjs';

/**
 * A stamp lies inside what a step made and holds the hash of what it was made from. It is written last,
 * so a folder with a matching stamp is complete.
 */
export const stampName = '.set-up-from';

export function isStamped(folder, inputs) {
  try {
    return readFileSync(join(folder, stampName), 'utf8') === inputs;
  } catch {
    return false;
  }
}

export function writeStamp(folder, inputs) {
  makeFolder(folder);
  writeFileSync(join(folder, stampName), inputs);
}

export function hashTexts(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:`).update(text);
  return hash.digest('hex');
}

/** Paths and contents both count, so a renamed file is a change. Absent files count as absent. */
export function hashFiles(root, files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) {
    const bytes = existsSync(file) ? readFileSync(file) : null;
    hash.update(`${relative(root, file)}\0${bytes === null ? 'absent' : bytes.length}\0`);
    if (bytes !== null) hash.update(bytes);
  }
  return hash.digest('hex');
}

/** Files under `folder` whose name `accepts`; none when the folder is absent. */
export function filesUnder(folder, accepts) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && accepts(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path ?? dirname(folder), entry.name));
}
