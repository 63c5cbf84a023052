import type { RoundhouseError } from '#schemas/errors';
import { loadConfig } from './config';
import { createRedis } from './redis';
import { redisAccess } from './redis-security';
import { redisSettings } from './redis-settings';

const accessOf = (env: Record<string, string>) => redisAccess(loadConfig(env, redisSettings));

function faultsOf(env: Record<string, string>): string[] {
  try {
    accessOf(env);
  } catch (error) {
    const { code, faults, message } = error as RoundhouseError;
    expect(code).toBe('CONFIG_INVALID');
    expect(message).not.toContain('hunter2');
    return faults.map(({ path, limit }) => `${path}: ${limit}`);
  }
  return [];
}

test.each(['redis://cache?password=hunter2', 'rediss://cache/1?username=a&password=hunter2'])(
  '%s hides a password where nobody looks for it',
  (url) => {
    expect(faultsOf({ REDIS_URL: url })).toEqual([
      'REDIS_URL: a URL like redis://host:6379 or rediss://host:6379/0',
    ]);
  },
);

test('nothing set: what the URL says', () => {
  const url = 'redis://user:hunter2@127.0.0.1:6380';
  expect(accessOf({ REDIS_URL: url })).toEqual({ url, security: {} });
});

test('a user and a password reach the client, and rediss: is TLS with the name that is set', () => {
  const access = accessOf({
    REDIS_URL: 'rediss://cache:6380',
    ROUNDHOUSE_REDIS_USER: 'ingest',
    ROUNDHOUSE_REDIS_PASSWORD: 'hunter2',
    ROUNDHOUSE_REDIS_TLS_NAME: 'cache.internal',
  });
  const logger = { warn: () => undefined, info: () => undefined } as never;
  const { options } = createRedis({ ...access, name: 'test', logger });
  expect(options).toMatchObject({ host: 'cache', port: 6380, username: 'ingest', password: 'hunter2' });
  expect(options.tls).toEqual({ minVersion: 'TLSv1.2', servername: 'cache.internal' });
});

const inClear = 'REDIS_URL: rediss: beyond this machine: redis: would show the password';
const allows = ' (ROUNDHOUSE_REDIS_PASSWORD_IN_CLEAR=true allows it)';

test.each<Record<string, string>>([
  { REDIS_URL: 'redis://cache' },
  { REDIS_URL: 'redis://user:hunter2@[::1]' },
  { REDIS_URL: 'redis://localhost', ROUNDHOUSE_REDIS_PASSWORD: 'hunter2' },
  { REDIS_URL: 'rediss://user:hunter2@cache' },
  { REDIS_URL: 'redis://user:hunter2@cache', ROUNDHOUSE_REDIS_PASSWORD_IN_CLEAR: 'true' },
])('%j shows nobody a password, or is meant to', (env) => {
  expect(faultsOf(env)).toEqual([]);
});

test.each<[Record<string, string>, string[]]>([
  [{ REDIS_URL: 'redis://user:hunter2@cache' }, [`${inClear}${allows}`]],
  [{ REDIS_URL: 'redis://cache', ROUNDHOUSE_REDIS_PASSWORD: 'hunter2' }, [`${inClear}${allows}`]],
  [{ ROUNDHOUSE_REDIS_USER: 'a' }, ['ROUNDHOUSE_REDIS_PASSWORD_FILE: needed for a user']],
  [
    { REDIS_URL: 'rediss://b:hunter2@h', ROUNDHOUSE_REDIS_PASSWORD: 'hunter2' },
    ['REDIS_URL: a URL without user and password, since other settings name them'],
  ],
  [
    { ROUNDHOUSE_REDIS_TLS_NAME: 'cache.internal' },
    ['ROUNDHOUSE_REDIS_TLS_NAME: only with a REDIS_URL of rediss:'],
  ],
  [
    { ROUNDHOUSE_REDIS_TLS_CA: __filename },
    [
      'ROUNDHOUSE_REDIS_TLS_CA: a certificate in PEM',
      'ROUNDHOUSE_REDIS_TLS_CA: only with a REDIS_URL of rediss:',
    ],
  ],
  [
    { ROUNDHOUSE_REDIS_PASSWORD: 'hunter2', ROUNDHOUSE_REDIS_PASSWORD_FILE: '/nowhere/password' },
    [
      'ROUNDHOUSE_REDIS_PASSWORD_FILE: not together with ROUNDHOUSE_REDIS_PASSWORD',
      'ROUNDHOUSE_REDIS_PASSWORD_FILE: a file that can be read',
    ],
  ],
])('%j is refused', (env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});
