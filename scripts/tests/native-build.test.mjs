import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nativeBuild, nativeTests } from '../setup/native-build.mjs';
import { placesOf } from '../setup/places.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

/** A build of one file that holds the place where it was made, as our addons and backends do. */
const lists = `cmake_minimum_required(VERSION 3.16)
project(moved NONE)
file(WRITE \${CMAKE_BINARY_DIR}/place.txt "\${CMAKE_SOURCE_DIR}")
file(MAKE_DIRECTORY \${CMAKE_BINARY_DIR}/tests)
add_custom_target(product COMMAND \${CMAKE_COMMAND} -E touch \${CMAKE_BINARY_DIR}/product)
add_custom_target(tests ALL COMMAND \${CMAKE_COMMAND} -E touch \${CMAKE_BINARY_DIR}/tests/one_test)
`;

function makeCheckout(folder) {
  const root = join(folder, 'erste Werkstätte');
  mkdirSync(join(root, 'native'), { recursive: true });
  writeFileSync(join(root, 'CMakeLists.txt'), lists);
  writeFileSync(join(root, 'native', 'one.cpp'), 'int one() { return 1; }\n');
  return root;
}

const placeIn = (root) => readFileSync(join(root, 'build', 'native', 'place.txt'), 'utf8');

// CMake refuses a build folder that was made elsewhere, and what it built would still name the old place.
test('a moved checkout is built again, at its new place', async (context) => {
  const folder = temporaryFolder(context);
  const before = makeCheckout(folder);
  const first = nativeBuild(placesOf(before, {}));
  assert.equal(first.isDone(), false);
  await first.run();
  assert.deepEqual([first.isDone(), placeIn(before)], [true, before]);
  writeFileSync(join(before, 'build', 'native', 'of-the-old-place'), '');

  const after = join(folder, 'zweite Werkstätte');
  renameSync(before, after);
  const moved = nativeBuild(placesOf(after, {}));
  assert.equal(moved.isDone(), false);
  await moved.run();
  assert.deepEqual([moved.isDone(), placeIn(after)], [true, after]);
  assert.equal(existsSync(join(after, 'build', 'native', 'of-the-old-place')), false);
});

test('a source that changed makes the build stale, one that did not does not', async (context) => {
  const root = makeCheckout(temporaryFolder(context));
  const build = nativeBuild(placesOf(root, {}));
  await build.run();
  writeFileSync(join(root, 'native', 'one.cpp'), 'int one() { return 1; }\n');
  assert.equal(build.isDone(), true);
  writeFileSync(join(root, 'native', 'one.cpp'), 'int one() { return 2; }\n');
  assert.equal(build.isDone(), false);
});

// 69 of 124 compilations were tests, which `npm start` doesn't need.
test('the tests are a step of their own, in the same build folder', async (context) => {
  const places = placesOf(makeCheckout(temporaryFolder(context)), {});
  const [product, tests] = [nativeBuild(places), nativeTests(places)];
  const isThere = (name) => existsSync(join(places.native, ...name.split('/')));
  await product.run();
  assert.deepEqual([product.isDone(), isThere('product')], [true, true]);
  assert.deepEqual([tests.isDone(), isThere('tests/one_test')], [false, false]);
  await tests.run();
  assert.deepEqual([product.isDone(), tests.isDone(), isThere('tests/one_test')], [true, true, true]);
  mkdirSync(join(places.root, 'test', 'native'), { recursive: true });
  writeFileSync(join(places.root, 'test', 'native', 'two_test.cpp'), 'int main() { return 0; }\n');
  assert.deepEqual([product.isDone(), tests.isDone()], [true, false]);
});
