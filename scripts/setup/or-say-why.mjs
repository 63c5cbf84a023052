import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetUpError } from './command.mjs';
import { makeFolder } from './make-folder.mjs';

/**
 * Makes what only tests use. Where it can't be had, `.roundhouse/NAME-missing.txt` says why, set-up goes on, and
 * these tests are skipped with the reason.
 */
export async function orSayWhy(places, name, make) {
  const reason = missingFile(places, name);
  rmSync(reason, { force: true });
  try {
    await make();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    makeFolder(places.state);
    writeFileSync(reason, error.message);
  }
}

export const missingFile = (places, name) => join(places.state, `${name}-missing.txt`);

export function missingReason(places, name) {
  const file = missingFile(places, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : `run "npm run setup -- ${name}"`;
}
