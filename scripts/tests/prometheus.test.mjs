import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPin } from '../setup/debian-package.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { prometheusMissing, prometheusPrograms } from '../setup/prometheus.mjs';
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
  assert.match(readFileSync(prometheusMissing(places), 'utf8'), /is not "name=version sha256:hash"/);
  assert.equal(existsSync(join(places.toolchain, 'prometheus')), false);
});

test('the pin of this project names a version and a hash', () => {
  const { wanted, hash } = readPin(join(projectRoot, 'toolchain', 'debian', 'prometheus.txt'));
  assert.match(wanted, /^prometheus=\d/);
  assert.equal(hash.length, 64);
});
