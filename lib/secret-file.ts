import type { Fault } from '#schemas/errors';
import { notShown } from './config-error';
import { readRegularFile } from './regular-file';
import { Secret, isSecretText, secretLimit } from './secret';

const mostBytes = 8_192;

/** What a file of one line holds; null and a fault where it can't be read or holds something else. */
export function readSecretFile(key: string, path: string, faults: Fault[]): Secret | null {
  let text: string;
  try {
    text = readRegularFile(path, mostBytes)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  } catch {
    faults.push({ path: key, value: path, limit: 'a file that can be read' });
    return null;
  }
  if (isSecretText(text)) return new Secret(text);
  faults.push({ path: key, value: notShown, limit: `a file that holds one line, ${secretLimit}` });
  return null;
}

export interface GivenSecret {
  readonly given: Secret | null;
  readonly file: string;
}

export function givenOnce(key: string, { given, file }: GivenSecret, faults: Fault[]): void {
  if (given !== null) faults.push({ path: `${key}_FILE`, value: file, limit: `not together with ${key}` });
}

/** A secret of the environment or of a file, not of both; the file's key is the other's with `_FILE`. */
export function oneSecret(key: string, { given, file }: GivenSecret, faults: Fault[]): Secret | null {
  if (file === '') return given;
  givenOnce(key, { given, file }, faults);
  return readSecretFile(`${key}_FILE`, file, faults);
}
