import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { flagsOf } from '../flags.mjs';
import { projectRoot } from '../setup/places.mjs';

const options = { write: { type: 'boolean', default: false }, folder: { type: 'string' } };

test('flags are read, and the one fault of a command line is named', () => {
  assert.deepEqual(
    { ...flagsOf(['--write', '--folder', 'x'], options).values },
    { help: false, write: true, folder: 'x' },
  );
  assert.deepEqual(flagsOf(['a'], options, 1).words, ['a']);
  assert.deepEqual(flagsOf(['--foo'], options), { fault: 'unknown flag --foo' });
  assert.deepEqual(flagsOf(['--foo=1'], options), { fault: 'unknown flag --foo' });
  assert.deepEqual(flagsOf(['-x'], options), { fault: 'unknown flag -x' });
  assert.deepEqual(flagsOf(['a', 'b'], options, 1), { fault: 'unknown argument b' });
  assert.match(flagsOf(['--folder'], options).fault, /^Option '--folder <value>' argument missing$/);
  assert.match(flagsOf(['--write=yes'], options).fault, /^Option '--write' does not take an argument$/);
});

const read = (file, ...args) =>
  spawnSync(process.execPath, [join(projectRoot, file), ...args], { encoding: 'utf8' });

/** All that a user calls with arguments and that isn't built. */
const scripts = [
  ...['cluster', 'drill', 'images', 'pack-client', 'run', 'setup', 'test'].map(
    (name) => `scripts/${name}.mjs`,
  ),
  ...['scripts/docs/errors.mjs', 'scripts/docs/metrics.mjs', 'scripts/ops/dashboards.mjs'],
  ...['test/gpu/pack.mjs', 'test/gpu/run.mjs', 'test/gpu/machine/standalone-triton.mjs'],
];

// Some ended with a stack trace, some went on and did what nobody had asked for.
for (const file of scripts) {
  test(`${file}: an unknown flag is named, with the usage and without a stack; exit status 2`, () => {
    const before = readdirSync(projectRoot);
    const { status, stderr, stdout } = read(file, '--foo');
    assert.equal(status, 2, stderr);
    assert.match(
      stderr.split('\n').find((line) => line !== ''),
      /--foo/,
    );
    assert.match(stderr + stdout, /usage|node |npm |the (steps|parts) are/);
    assert.doesNotMatch(stderr, /^ {4}at /m);
    assert.deepEqual(readdirSync(projectRoot), before);
  });
}

/** All programs that are built and take a command line. */
const folders = (parent) =>
  readdirSync(join(projectRoot, parent))
    .map((name) => `${parent}/${name}/main`)
    .filter((name) => existsSync(join(projectRoot, `${name}.ts`)));
const built = [
  ...[...folders('bench'), ...folders('launcher'), 'launcher/main', 'launcher/dead-letters'],
  ...['services/replay/main', 'services/inference-worker/serve-models/main', 'native/planner/solve-main'],
  'examples/produce-round',
];

for (const name of built) {
  test(`${name}: an unknown flag is named, without a stack; exit status 2`, () => {
    const { status, stderr } = read(`dist/${name}.js`, '--foo');
    assert.equal(status, 2, stderr);
    assert.match(stderr, /--foo|a command is wanted/);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });
}

test('the example says what is no address, and its usage when asked', () => {
  const example = 'dist/examples/produce-round.js';
  for (const [args, fault] of [
    [['localhost'], /^localhost: no http/],
    [['http://127.0.0.1:1', 'more'], /^more: one address/],
  ]) {
    const { status, stderr } = read(example, ...args);
    assert.equal(status, 2);
    assert.match(stderr, fault);
    assert.match(stderr, /^usage: .*produce-round\.js \[URL\]/m);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  }
  const { status, stdout } = read(example, '--help');
  assert.deepEqual([status, stdout.startsWith('usage: ')], [0, true]);
});
