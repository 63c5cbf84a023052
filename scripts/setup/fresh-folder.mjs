import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeStamp } from './stamp.mjs';
import { makeFolder } from './make-folder.mjs';

/**
 * Fills a new folder beside the final one and renames it when it is whole and stamped, so an interrupted
 * set-up leaves either the old folder or none. Remains of interrupted ones are removed first.
 */
export async function replaceFolder(folder, inputs, fill) {
  const parent = dirname(folder);
  const prefix = `.${basename(folder)}.new-`;
  makeFolder(parent);
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    rmSync(join(parent, name), { recursive: true, force: true });
  }
  const fresh = join(parent, `${prefix}${process.pid}`);
  mkdirSync(fresh);
  await fill(fresh);
  writeStamp(fresh, inputs);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}
