import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { productSteps, stepNames } from '../setup/index.mjs';
import { benchSteps, drillSteps, replaySteps, testSteps } from '../setup/needed-steps.mjs';
import { projectRoot } from '../setup/places.mjs';

const benches = readdirSync(join(projectRoot, 'bench')).filter((name) =>
  existsSync(join(projectRoot, 'bench', name, 'main.ts')),
);
/** Fetched for tests alone; a bench that asks for one of them must be named here. */
const testsAlone = ['test-packages', 'helm', 'grafana', 'redis-tls', 'prometheus', 'ucx', 'native-tests'];
const extra = { dataplane: ['native-tests'], remote: ['ucx', 'native-tests'], drill: ['prometheus'] };

test('no bench sets up what only tests and other benches need', () => {
  assert.ok(benches.includes('dataplane'));
  for (const name of benches) {
    const steps = benchSteps(name);
    assert.deepEqual(
      steps.filter((step) => testsAlone.includes(step)).sort(),
      (extra[name] ?? []).toSorted(),
      name,
    );
  }
});

test('the steps are known, each once, and in the order of set-up', () => {
  for (const steps of [...benches.map((name) => benchSteps(name)), drillSteps(), replaySteps(['run'])])
    assert.deepEqual(
      steps,
      stepNames.filter((name) => steps.includes(name)),
    );
});

test('flags say what is needed', () => {
  assert.deepEqual(benchSteps('routers'), ['npm', 'typescript']);
  assert.deepEqual(benchSteps('routers', ['--real', '5']), productSteps);
  assert.ok(benchSteps('engine', ['--echo']).includes('native-tests'));
  assert.ok(!benchSteps('engine', ['--model', 'm']).includes('kafka'));
  assert.deepEqual(drillSteps(['--list']), ['npm', 'typescript']);
  assert.deepEqual(drillSteps(['--no-alerts']), productSteps);
  assert.ok(!replaySteps(['run', '--direct']).includes('kafka'));
  assert.deepEqual(replaySteps(['diff']), ['npm', 'typescript']);
});

// `npm test -- checks` built all of C++ first.
test('a part of the tests sets up what it needs, several what each does, and the whole run everything', () => {
  assert.deepEqual(testSteps(['checks']), ['npm', 'typescript', 'prometheus', 'helm', 'grafana']);
  assert.deepEqual(testSteps(['scripts', 'checks']), testSteps(['checks']));
  assert.ok(testSteps(['native']).includes('native-tests'));
  assert.ok(!testSteps(['native', 'checks', 'cuda']).includes('kafka'));
  assert.ok(testSteps(['native', 'checks']).includes('helm'));
  assert.ok(!testSteps(['sanitizers', 'cuda']).includes('native'));
  for (const parts of [[], ['unit'], ['integration'], ['crash'], ['checks', 'unit']])
    assert.deepEqual(testSteps(parts), stepNames);
});
