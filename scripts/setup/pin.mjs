import { readFileSync } from 'node:fs';
import { sha256Of } from './checksums.mjs';
import { SetUpError } from './command.mjs';

/** A pin file has one line: what to ask the package client for, and the hash of the one file that it brings. */
export function readPin(pinFile) {
  const pin = /^(?<wanted>\S+) sha256:(?<hash>[0-9a-f]{64})\s*$/.exec(readFileSync(pinFile, 'utf8'));
  if (pin === null) throw new SetUpError(`${pinFile} is not "name and version sha256:hash"`);
  return { ...pin.groups, pinFile };
}

export function requirePinned(file, { wanted, hash, pinFile }) {
  const actual = sha256Of(file);
  if (actual !== hash) throw new SetUpError(`${wanted} has sha256 ${actual}, ${pinFile} says ${hash}`);
}
