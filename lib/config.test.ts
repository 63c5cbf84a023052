import { type RoundhouseError } from '#schemas/errors';
import {
  brokersSetting,
  choiceSetting,
  commonSettings,
  flagSetting,
  integerSetting,
  loadConfig,
  portSetting,
} from './config';

const spec = {
  port: portSetting('ROUNDHOUSE_WORKER_HTTP_PORT', 8090),
  window: integerSetting('ROUNDHOUSE_WORKER_WINDOW', { default: 8, min: 1, max: 100 }),
  level: choiceSetting('ROUNDHOUSE_LOG_LEVEL', ['info', 'warn'], 'info'),
  brokers: brokersSetting('KAFKA_BROKERS', '127.0.0.1:9092'),
  flag: flagSetting('ROUNDHOUSE_FLAG', false),
} as const;

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env, spec);
  } catch (error) {
    expect((error as RoundhouseError).code).toBe('CONFIG_INVALID');
    return (error as RoundhouseError).faults.map(({ path, limit }) => `${path}: ${limit}`);
  }
  return [];
}

test('reads values and defaults, and freezes the result', () => {
  const config = loadConfig({ ROUNDHOUSE_WORKER_WINDOW: '3', KAFKA_BROKERS: 'a:1, b:2' }, spec);
  expect(config).toEqual({ port: 8090, window: 3, level: 'info', brokers: ['a:1', 'b:2'], flag: false });
  expect(Object.isFrozen(config)).toBe(true);
});

test('reports all faults at once', () => {
  const faults = faultsOf({
    ROUNDHOUSE_WORKER_HTTP_PORT: '70000',
    ROUNDHOUSE_WORKER_WINDOW: '1.5',
    ROUNDHOUSE_LOG_LEVEL: 'loud',
    KAFKA_BROKERS: 'nowhere',
    ROUNDHOUSE_FLAG: 'perhaps',
  });
  expect(faults).toEqual([
    'ROUNDHOUSE_WORKER_HTTP_PORT: a whole number from 0 to 65535',
    'ROUNDHOUSE_WORKER_WINDOW: a whole number from 1 to 100',
    'ROUNDHOUSE_LOG_LEVEL: one of info, warn',
    'KAFKA_BROKERS: host:port, several separated by commas',
    'ROUNDHOUSE_FLAG: true or false',
  ]);
});

test('rejects an unknown key with the nearest valid name, and lets keys of other services pass', () => {
  expect(faultsOf({ ROUNDHOUSE_WORKER_WINDWO: '3' })).toEqual([
    'ROUNDHOUSE_WORKER_WINDWO: did you mean ROUNDHOUSE_WORKER_WINDOW?',
  ]);
  expect(faultsOf({ ROUNDHOUSE_INGEST_GRPC_PORT: '1' })).toEqual([]);
  expect(faultsOf({ OTHER_PRODUCT: 'x' })).toEqual([]);
});

test('an unknown key far from every valid one points to the documentation', () => {
  expect(faultsOf({ ROUNDHOUSE_QQQQQQQQQQQQQQQQQQQQQQQQQQQQQ: '1' })).toEqual([
    'ROUNDHOUSE_QQQQQQQQQQQQQQQQQQQQQQQQQQQQQ: a key listed in docs/configuration.md',
  ]);
});

test('`__proto__` as a key is nothing special', () => {
  const env = JSON.parse('{"__proto__": "x", "ROUNDHOUSE_WORKER_WINDOW": "2"}') as Record<string, string>;
  expect(loadConfig(env, spec).window).toBe(2);
});

test('an empty value counts as absent', () => {
  expect(loadConfig({ ROUNDHOUSE_WORKER_WINDOW: '' }, spec).window).toBe(8);
});

function errorOf(env: Record<string, string>): RoundhouseError {
  try {
    loadConfig(env, commonSettings);
  } catch (error) {
    return error as RoundhouseError;
  }
  throw new Error('no fault');
}

test.each([
  'http://user:secret@host:1',
  'redis//user:secret@host',
  'http://u:secret/@secret@host',
  'u:secret@host',
])('a password in the URL %s stays out of the message and the faults', (url) => {
  const { message, faults } = errorOf({ REDIS_URL: url });
  expect(message).toMatch(/REDIS_URL=".*\*\*\*@host/);
  expect(message + JSON.stringify(faults)).not.toMatch(/secret/);
});

test('what an unknown key holds is not shown', () => {
  const { message, faults } = errorOf({ ROUNDHOUSE_REDIS_WORDPASS: 'secret' });
  expect(message).toMatch(/^1 fault in the configuration:\n  ROUNDHOUSE_REDIS_WORDPASS: /);
  expect(message + JSON.stringify(faults)).not.toMatch(/secret/);
});

test.each(['a:0', 'a:65536', 'a:99999', 'a:1,', '[::1]', ':9092', 'a b:1', 'kafka://a:1'])(
  'KAFKA_BROKERS=%s is refused',
  (brokers) => {
    expect(errorOf({ KAFKA_BROKERS: brokers }).message).toMatch(/KAFKA_BROKERS=.*host:port/);
  },
);

test.each([
  'redis:a',
  'redis://',
  'redis:///0',
  'rediss://a/db',
  'redis://a:6379/0/1',
  'redis://a:0',
  'http://a',
])('REDIS_URL=%s is refused', (url) => {
  expect(errorOf({ REDIS_URL: url }).message).toMatch(/REDIS_URL=.*a URL (like|that begins with) redis:/);
});

test.each(['redis://a', 'redis://a/', 'rediss://user:word@a:6380/3', 'redis://[::1]:6379?family=6'])(
  'REDIS_URL=%s is taken',
  (url) => {
    expect(loadConfig({ REDIS_URL: url }, commonSettings).redisUrl).toBe(url);
  },
);
