import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checksumFaults, parseChecksums } from '../setup/checksums.mjs';
import { requireHash } from '../setup/wheels.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

/** sha256 of "abc", from FIPS 180-2. */
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

test('a folder that agrees with its list has no faults', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.jar'), 'abc');
  assert.deepEqual(checksumFaults(folder, parseChecksums(`${abc}  a.jar\n`)), []);
});

test('all differences are named: changed, missing and unlisted files', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.jar'), 'abd');
  writeFileSync(join(folder, 'stranger.jar'), '');
  const faults = checksumFaults(folder, parseChecksums(`${abc}  a.jar\n${abc}  b.jar\n`));
  assert.equal(faults.length, 3);
  assert.match(faults.join('\n'), /stranger.jar is not in the list/);
  assert.match(faults.join('\n'), new RegExp(`a.jar has sha256 [0-9a-f]{64}, the list says ${abc}`));
  assert.match(faults.join('\n'), /b.jar is missing/);
});

test('a wheel with another hash than its requirements file is refused with both', (t) => {
  const folder = temporaryFolder(t);
  const [wheel, requirements] = [join(folder, 'x.whl'), join(folder, 'x.txt')];
  writeFileSync(requirements, `x==1 --hash=sha256:${abc}\n`);
  writeFileSync(wheel, 'abc');
  requireHash(wheel, requirements);
  writeFileSync(wheel, 'abd');
  assert.throws(
    () => requireHash(wheel, requirements),
    new RegExp(`has sha256 [0-9a-f]{64}, .*x.txt says ${abc}`),
  );
});
