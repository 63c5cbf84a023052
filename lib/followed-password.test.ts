import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from '#schemas/errors';
import { kafkaAccess } from './bus/kafka-security';
import { kafkaSettings } from './bus/kafka-settings';
import { loadConfig } from './config';
import { FollowedFiles, followedFiles } from './followed-files';
import { onePassword, withPassword } from './followed-password';
import { createRedis } from './redis';
import { redisAccess } from './redis-security';
import { redisSettings } from './redis-settings';
import { Secret } from './secret';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-password-'));
const file = join(folder, 'password');
const put = (text: string): void => writeFileSync(file, text);
beforeEach(() => put('first\n'));
afterAll(() => rmSync(folder, { recursive: true }));

function open() {
  const faults: Fault[] = [];
  const password = onePassword('KEY', { given: null, file }, faults);
  expect(faults).toEqual([]);
  if (!(password instanceof FollowedFiles)) throw new Error('a file is followed');
  return { look: () => password.look(), now: () => password.value?.reveal() };
}

test('a file that was the same at two looks holds; one with faults is told once, and the old one holds', () => {
  const { look, now } = open();
  put('second');
  expect([look(), now()]).toEqual(['same', 'first']);
  expect([look(), now()]).toEqual(['changed', 'second']);
  put('third'); // being written: it is another one at the next look
  expect(look()).toBe('same');
  put('third and more');
  expect([look(), look(), now()]).toEqual(['same', 'changed', 'third and more']);
  for (const bad of ['', 'two\nlines', 'x'.repeat(4_097)]) {
    put(bad);
    expect(look()).toBe('same');
    const { refused } = look() as { refused: string };
    expect(refused).toMatch(/^KEY_FILE=.+: a file that holds one line/);
    if (bad !== '') expect(refused).not.toContain(bad);
    expect([look(), now()]).toEqual(['same', 'third and more']);
  }
  rmSync(file);
  expect(look()).toBe('same');
  expect(look()).toEqual({ refused: `KEY_FILE=${file}: a file that can be read` });
  put('fourth');
  expect([look(), look(), now()]).toEqual(['same', 'changed', 'fourth']);
});

test('one of the environment holds for good, and both at once are a fault', () => {
  const faults: Fault[] = [];
  const given = new Secret('given');
  expect(onePassword('KEY', { given, file: '' }, faults)).toEqual({ value: given });
  expect(onePassword('KEY', { given: null, file: '' }, faults)).toEqual({ value: null });
  expect(faults).toEqual([]);
  onePassword('KEY', { given, file }, faults);
  expect(faults).toEqual([{ path: 'KEY_FILE', value: file, limit: 'not together with KEY' }]);
  expect(withPassword({ user: 'a' }, { value: null })).toEqual({ user: 'a', password: '' });
});

test('clients of Kafka and Redis, and copies of those, have the one in force', () => {
  const kafkaEnv = { ROUNDHOUSE_KAFKA_SASL: 'scram-sha-512', ROUNDHOUSE_KAFKA_USER: 'worker' };
  const { sasl } = kafkaAccess(
    loadConfig({ ...kafkaEnv, ROUNDHOUSE_KAFKA_PASSWORD_FILE: file }, kafkaSettings),
  ).security;
  const access = redisAccess(loadConfig({ ROUNDHOUSE_REDIS_PASSWORD_FILE: file }, redisSettings));
  const logger = { warn: () => undefined, info: () => undefined } as never;
  const redis = createRedis({ ...access, name: 'test', logger });
  const copy = redis.duplicate().duplicate({ connectionName: 'other' });
  const all = () => [sasl, redis.options, copy.options].map((one) => (one as { password?: string }).password);
  expect(all()).toEqual(['first', 'first', 'first']);
  put('second');
  for (let i = 0; i < 2; i += 1) for (const one of followedFiles()) one.look();
  expect(all()).toEqual(['second', 'second', 'second']);
  expect(copy.options.connectionName).toBe('other');
});
