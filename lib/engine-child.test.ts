import { engineChild } from './engine-child';

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
