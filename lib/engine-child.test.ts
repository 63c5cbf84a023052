import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineChild } from './engine-child';
import { isProgram, onlyFiles, onlyFilesFailure } from './only-files';

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

test('with a launcher that is broken, or absent, it is started without, and told why', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-program-'));
  const launcher = join(folder, 'only-files');
  const wanted = { ...env, ROUNDHOUSE_ENGINE_FILES: 'own' };
  const faultOf = (asked: Readonly<Record<string, string>>) => {
    const { program, args, env: given } = engineChild(['node', 'main.js'], asked, socket, launcher);
    expect([program, ...args]).not.toContain(launcher);
    expect([program, ...args].slice(-2)).toEqual(['node', 'main.js']);
    return given[onlyFilesFailure];
  };
  expect(faultOf(wanted)).toBe('build/native/only-files is not there, or no program');
  writeFileSync(launcher, 'exit 127', { mode: 0o755 });
  expect(faultOf(wanted)).toBe('build/native/only-files does not run (it ended with 127)');
  expect(faultOf({ ...wanted, ROUNDHOUSE_ENGINE_FILES: 'any' })).toBeUndefined();
  rmSync(folder, { recursive: true });
});
