import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export function sha256Of(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Reads the format of sha256sum: "hash  name" a line. */
export function parseChecksums(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(lines.map((line) => [line.slice(66).trim(), line.slice(0, 64)]));
}

/** All differences between a folder and its list, one sentence each; none when they agree. */
export function checksumFaults(folder, expected) {
  const present = new Set(readdirSync(folder));
  const faults = [...present]
    .filter((name) => !expected.has(name))
    .map((name) => `${name} is not in the list`);
  for (const [name, hash] of expected) {
    if (!present.has(name)) faults.push(`${name} is missing`);
    else if (sha256Of(join(folder, name)) !== hash) {
      faults.push(`${name} has sha256 ${sha256Of(join(folder, name))}, the list says ${hash}`);
    }
  }
  return faults;
}
