import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readResults } from '../test/jest-project.mjs';
import { outcomeOf } from '../test/native-tests.mjs';
import { addTallies, readTally, runToEnd, tally, tallyLine } from '../test/part.mjs';
import { judge, skipSanitizers } from '../test/sanitizers.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

test('the last tally line of an output counts', () => {
  assert.deepEqual(
    readTally('1 passed, 0 failed, 0 skipped\nx\n7 passed, 2 failed, 1 skipped\n'),
    tally(7, 2, 1),
  );
  assert.equal(readTally('7 passed, 2 failed'), null);
});

test('tallies add up and print', () => {
  assert.equal(tallyLine(addTallies([tally(1, 2, 3), tally(4)])), '5 passed, 2 failed, 3 skipped');
});

test('a test file that did not run counts as failed; skipped and todo tests as skipped', (t) => {
  const file = join(temporaryFolder(t), 'results.json');
  const json = {
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 1,
    numPendingTests: 2,
    numTodoTests: 1,
  };
  writeFileSync(file, JSON.stringify(json));
  assert.deepEqual(readResults(file), tally(5, 2, 3));
  assert.deepEqual(readResults(`${file}.absent`), tally());
});

test('a command that hangs is killed at its limit and says so', async () => {
  const result = await runToEnd('sleep', ['60'], { limitMs: 100, show: false });
  assert.equal(result.ok, false);
  assert.match(result.reason, /SIGKILL \(limit 0.1 s\)/);
});

test('a C++ program counts as one test, and as failed when it says nothing or ends badly', () => {
  assert.deepEqual(outcomeOf(true, tally(5000, 0, 1)), tally(1));
  assert.deepEqual(outcomeOf(true, tally(0, 0, 3)), tally(0, 0, 1));
  assert.deepEqual(outcomeOf(true, tally(5, 1)), tally(0, 1));
  assert.deepEqual(outcomeOf(true, null), tally(0, 1));
  assert.deepEqual(outcomeOf(false, tally(5)), tally(0, 1));
});

test('what a sanitizer found fails a program, whatever its exit status', () => {
  const found = [
    'ok\n==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x6\n',
    '==9==ERROR: LeakSanitizer: detected memory leaks\n',
    'ring.cpp:12:3: runtime error: signed integer overflow: 1 + 2147483647\n',
    'SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior ring.cpp:12:3\n',
  ];
  assert.deepEqual(found.map(judge), [false, false, false, false]);
  assert.equal(judge('neighbour: 7 round trips\n1 passed, 0 failed, 0 skipped\n'), true);
});

test('sanitizers that are left out show as skipped', (t) => {
  t.mock.method(console, 'log', () => undefined);
  assert.deepEqual(skipSanitizers(), tally(0, 0, 1));
});
