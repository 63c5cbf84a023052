import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { placesOf } from '../setup/places.mjs';
import { testPackages } from '../setup/test-packages.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

test('packages that cannot be had leave the reason, and set-up goes on', async (context) => {
  const places = placesOf(temporaryFolder(context), {});
  mkdirSync(join(places.root, 'test', 'python'), { recursive: true });
  // No such file: pip fails at once, without the network.
  const nowhere = './no-such-package-1-py3-none-any.whl';
  const hash = `--hash=sha256:${'0'.repeat(64)}`;
  writeFileSync(join(places.root, 'test', 'python', 'requirements.txt'), `${nowhere} ${hash}\n`);
  const step = testPackages(places);
  await step.run();
  assert.equal(step.isDone(), false);
  assert.match(readFileSync(join(places.state, 'venv-missing.txt'), 'utf8'), /no-such-package|venv/);
});

test('without requirements there is nothing to do', (context) => {
  const places = placesOf(temporaryFolder(context), {});
  assert.equal(testPackages(places).isDone(), true);
  assert.equal(existsSync(places.state), false);
});
