import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { missingFile } from '../setup/or-say-why.mjs';
import { readPin, requirePinned } from '../setup/pin.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { prometheusPrograms } from '../setup/prometheus.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

function pinned(context, text) {
  const places = placesOf(temporaryFolder(context), {});
  const folder = join(places.root, 'toolchain', 'debian');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'prometheus.txt'), text);
  return places;
}

test('a pin that is no pin leaves the reason and no folder, and set-up goes on', async (context) => {
  const places = pinned(context, 'prometheus sha256:12\n');
  const step = prometheusPrograms(places);
  await step.run();
  assert.equal(step.isDone(), false);
  assert.match(
    readFileSync(missingFile(places, 'prometheus'), 'utf8'),
    /is not "name and version sha256:hash"/,
  );
  assert.equal(existsSync(join(places.toolchain, 'prometheus')), false);
});

test('the pins of this project name a version and a hash', () => {
  const wanted = (...path) => readPin(join(projectRoot, 'toolchain', ...path)).wanted;
  assert.match(wanted('debian', 'prometheus.txt'), /^prometheus=\d/);
  assert.match(wanted('npm', 'helm.txt'), /@\d/);
});

test('a file with another hash than the pinned one is refused, with both', (context) => {
  const file = join(temporaryFolder(context), 'a.deb');
  writeFileSync(file, 'other');
  // printf other | sha256sum
  const actual = 'd9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa';
  const pin = { wanted: 'a=1', hash: '0'.repeat(64), pinFile: 'a.txt' };
  assert.throws(() => requirePinned(file, pin), {
    message: `a=1 has sha256 ${actual}, a.txt says ${pin.hash}`,
  });
});
