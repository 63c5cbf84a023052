import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pipEnvironment, pipEnvironmentHere } from '../setup/pip-environment.mjs';

test('only what leads to the index is kept, the environment before the files', () => {
  const env = { PATH: '/bin', PIP_USER: '1', PIP_TARGET: '/t', pip_prefix: '/p', PIP_CERT: '/env.pem' };
  const listed = [
    ":env:.cert='/env.pem'",
    ":env:.target='/t'",
    "download.index-url='https://download.example/simple'",
    "global.cert='/file.pem'",
    "global.find-links='\\n/a\\n/b'",
    "global.index-url='https://global.example/it\\'s'",
    "global.require-virtualenv='true'",
    "install.no-index='true'",
  ].join('\n');
  assert.deepEqual(pipEnvironment(env, listed), {
    PATH: '/bin',
    PIP_CERT: '/env.pem',
    PIP_FIND_LINKS: '/a /b',
    PIP_INDEX_URL: 'https://download.example/simple',
    PIP_CONFIG_FILE: '/dev/null',
    PYTHONUTF8: '1',
  });
});

// With any of these `pip download` of a wheel with a hash is refused, or does something else.
const settings = {
  'require-virtualenv': 'true',
  user: 'true',
  target: '/nowhere',
  constraint: '/nowhere/constraints.txt',
  requirement: '/nowhere/requirements.txt',
  'no-binary': ':all:',
  platform: 'win_amd64',
};

test('settings of a user do not reach the download, from the environment or a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pip-conf-'));
  const file = join(folder, 'pip.conf');
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
  writeFileSync(file, `[global]\n${lines.join('\n')}\n`);
  const environment = Object.entries(settings).map(([key, value]) => [
    `PIP_${key.toUpperCase().replaceAll('-', '_')}`,
    value,
  ]);
  for (const more of [Object.fromEntries(environment), { PIP_CONFIG_FILE: file }]) {
    const env = pipEnvironmentHere({ ...process.env, ...more });
    const list = spawnSync('python3', ['-m', 'pip', 'config', 'list'], { env, encoding: 'utf8' });
    assert.equal(list.status, 0, list.stderr);
    for (const key of Object.keys(settings)) assert.doesNotMatch(list.stdout, new RegExp(`\\.${key}=`));
    const download = ['-m', 'pip', 'download', '--no-index', '--no-deps', '-d', folder, 'no-such-package'];
    const { stderr } = spawnSync('python3', download, { env, encoding: 'utf8' });
    assert.match(stderr, /No matching distribution found for no-such-package/);
  }
  rmSync(folder, { recursive: true });
});
