import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '#lib/regular-file';

/**
 * A `#` in a text begins no comment. A text without an end goes to the end of its line: to look for one from each of
 * its quotes would take minutes.
 */
export function withoutComments(config: string): string {
  return config.replace(/("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|#.*/g, '$1');
}

/** Names of the models that an ensemble's config.pbtxt hands tensors to; none for any other model. */
export function stepsIn(config: string): string[] {
  const text = withoutComments(config);
  if (!/\bensemble_scheduling\b/.test(text)) return [];
  const names = [...text.matchAll(/\bmodel_name\s*:\s*["']([^"']*)["']/g)].map(([, name]) => name!);
  return [...new Set(names)];
}

export function stepsOf(repository: string, model: string): string[] {
  const file = join(repository, model, 'config.pbtxt');
  return existsSync(file) ? stepsIn(readRegularFile(file).toString()) : [];
}
