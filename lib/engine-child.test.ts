import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { engineChild, isProgram } from './engine-child';

const env = { PATH: '/bin', REDIS_URL: 'redis://u:p@h', ROUNDHOUSE_MODELS_DIR: 'models' };
const socket = { ROUNDHOUSE_ENGINE_SOCKET: '/s' };

test('an engine gets what is its own and no secret of ours', () => {
  const child = engineChild(['node', 'main.js'], env, socket);
  expect(child.env).toMatchObject({ PATH: '/bin', ROUNDHOUSE_MODELS_DIR: 'models', ...socket });
  expect(child.env).not.toHaveProperty('REDIS_URL');
  expect([child.program, ...child.args].slice(-2)).toEqual(['node', 'main.js']);
});

test('privileges are kept where confinement is off', () => {
  const off = engineChild(['node'], { ...env, ROUNDHOUSE_ENGINE_CONFINEMENT: 'off' }, socket);
  expect(off.args).not.toContain('--no-new-privs');
  expect(off.env).not.toHaveProperty('REDIS_URL');
});

const onlyFiles = projectPath('build', 'native', 'only-files');
const whenBuilt = isProgram(onlyFiles) ? test : test.skip;

whenBuilt('it opens its own files alone, and temporary ones in its own folder, unless any are wanted', () => {
  const own = { ...socket, ROUNDHOUSE_ENGINE_SOCKET: '/run/one/engine.sock', ROUNDHOUSE_DEVICES: 'cpu' };
  const { program, args, env: given } = engineChild(['node', 'main.js'], env, own);
  const words = [program, ...args];
  const rest = words.slice(words.indexOf(onlyFiles));
  expect(rest.slice(rest.indexOf('--'))).toEqual(['--', 'node', 'main.js']);
  expect(rest[rest.indexOf('/run/one') - 1]).toBe('--write');
  expect(given['TMPDIR']).toBe('/run/one');
  const any = engineChild(['node'], { ...env, ROUNDHOUSE_ENGINE_FILES: 'any' }, own);
  expect(any.args).not.toContain(onlyFiles);
  expect(any.env).not.toHaveProperty('TMPDIR');
});

test('what has no mode of a program is none, and neither is a folder: the engine is started without it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-program-'));
  const file = join(folder, 'only-files');
  expect(isProgram(file)).toBe(false);
  writeFileSync(file, '', { mode: 0o644 });
  expect([isProgram(file), isProgram(folder)]).toEqual([false, false]);
  chmodSync(file, 0o755);
  expect(isProgram(file)).toBe(true);
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => spawnSync(onlyFiles, args, { encoding: 'utf8' });

whenBuilt.each([
  [[], 'only-files ['],
  [['--'], 'only-files ['],
  [['--read', '/usr'], 'only-files ['],
  [['--read', '--', 'true'], 'only-files ['],
  [['--all', '/', '--', 'true'], 'only-files ['],
])('what starts it refuses %j with its usage', (args, words) => {
  const { status, stderr } = run(...args);
  expect(status).toBe(2);
  expect(stderr).toContain(words);
});

whenBuilt('it tells why a program does not run, and ends as that one does where it does', () => {
  const missing = run('--', '/not/there');
  expect([missing.status, missing.stderr]).toEqual([
    127,
    'only-files: /not/there: No such file or directory\n',
  ]);
  const read = ['/usr', '/lib', '/lib64', '/bin', '/etc/ld.so.cache'].flatMap((path) => ['--read', path]);
  expect(run(...read, '--', 'sh', '-c', 'exit 7').status).toBe(7);
});
