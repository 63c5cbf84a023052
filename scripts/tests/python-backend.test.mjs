import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { placesOf } from '../setup/places.mjs';
import { pythonBackend } from '../setup/python-backend.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

test('the Python backend stands beside ours with our stub; what is missing again is made again', async (context) => {
  const root = temporaryFolder(context);
  const places = placesOf(root, {});
  const folder = join(places.toolchain, 'triton', 'pytriton', 'tritonserver', 'backends', 'python');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'libtriton_python.so'), 'library');
  mkdirSync(join(root, 'toolchain', 'python-backend'), { recursive: true });
  writeFileSync(join(root, 'toolchain', 'python-backend', 'stub.sh'), '#!/bin/sh\nexit 1\n');
  const step = pythonBackend(places);
  assert.equal(step.isDone(), false);
  await step.run();
  assert.equal(step.isDone(), true);
  const linked = join(places.native, 'backends', 'python');
  assert.equal(readFileSync(join(linked, 'libtriton_python.so'), 'utf8'), 'library');
  // Triton takes the modes of a stub away that it can't run: the owner's x is what counts.
  assert.equal(statSync(join(linked, 'triton_python_backend_stub')).mode & 0o755, 0o755);
  rmSync(places.native, { recursive: true });
  assert.equal(step.isDone(), false);
  await step.run();
  assert.ok(existsSync(join(linked, 'libtriton_python.so')));
});
