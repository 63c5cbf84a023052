import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** What a model may be called: never a path, nor part of one that leads elsewhere. */
export const modelNameLimit = 'a model name: 1 to 100 of A-Z a-z 0-9 _ . -, the first a letter or a digit';
export const modelVersionLimit = 'a version: a whole number of 1 to 15 digits that does not begin with 0';

const name = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const version = /^[1-9][0-9]{0,14}$/;

export function isModelName(text: unknown): text is string {
  return typeof text === 'string' && name.test(text);
}

export function isModelVersion(text: unknown): text is string {
  return typeof text === 'string' && version.test(text);
}

/** Whether a path that exists lies in a folder when every link on the way is followed. */
export function liesInside(folder: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}
