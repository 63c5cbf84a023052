import { newApiKey, readApiKey } from './api-key';
import { noLimit, quotaOf, readAccessFile } from './access-file';

const { text, sha256 } = newApiKey('acme-1');
const key = { id: 'acme-1', tenant: 'acme', scopes: ['rounds:write'], sha256 };

const faultsOf = (document: unknown): string[] => {
  const reading = readAccessFile(typeof document === 'string' ? document : JSON.stringify(document));
  return reading.kind === 'rules' ? [] : reading.faults.map(({ path, limit }) => `${path}: ${limit}`);
};

test('a new key is read again, and only its hash tells of it', () => {
  expect(readApiKey(text)).toEqual({ id: 'acme-1', hash: Buffer.from(sha256, 'hex') });
  expect(text).toMatch(/^rh_acme-1_.{43}$/); // 32 bytes in base64 without padding
  expect(newApiKey('acme-1').text).not.toBe(text);
});

test.each(['', 'rh_', 'rh_a_b', `${text}x`, ` ${text}`, `rh_A_${'a'.repeat(43)}`, 'a.b.c'])(
  '%j is no key',
  (odd) => {
    expect(readApiKey(odd)).toBeNull();
  },
);

test('keys and quotas, with those of all others', () => {
  const quotas = {
    acme: { roundsPerMinute: 60, candidatesPerMinute: 900, streams: 2 },
    '*': { requestsPerSecond: 5, waits: 7 },
  };
  const document = { keys: [{ ...key, expires: '2027-01-31T00:00:00Z' }], quotas };
  const reading = readAccessFile(JSON.stringify(document));
  if (reading.kind !== 'rules') throw new Error(JSON.stringify(reading));
  expect(reading.rules.keys).toEqual([{ ...key, expiresAt: Date.UTC(2027, 0, 31) }]);
  expect(quotaOf(reading.rules, 'acme')).toEqual({
    ...noLimit,
    roundsPerMinute: 60,
    candidatesPerMinute: 900,
    streams: 2,
  });
  expect(quotaOf(reading.rules, 'other')).toEqual({ ...noLimit, requestsPerSecond: 5, waits: 7 });
});

test('every fault is told, and nothing of what stands there', () => {
  const faults = faultsOf({
    keys: [{ id: 'A', tenant: '', scopes: ['all'], sha256: text, expires: 'soon', scope: 1 }, key, key],
    quotas: { acme: { roundsPerMinute: 0, roundPerMinute: 1 } },
    more: 1,
  });
  expect(faults).toEqual([
    'the file.more: no such field',
    'keys[0].scope: did you mean scopes?',
    'keys[0].id: 1 to 64 lower-case letters, digits and dashes',
    'keys[0].tenant: 1 to 64 characters, no spaces',
    'keys[0].scopes: a list of rounds:write, decisions:read, observations:write, models:infer, models:read, models:admin',
    'keys[0].sha256: 64 hexadecimal digits',
    'keys[0].expires: a time like 2027-01-31T00:00:00Z',
    'keys[2].id: another id: this one is there before',
    'quotas.acme.roundPerMinute: did you mean roundsPerMinute?',
    'quotas.acme.roundsPerMinute: a whole number above 0',
  ]);
  expect(JSON.stringify(faults)).not.toContain(text);
});

test('a list in place of a scope is none', () => {
  expect(faultsOf({ keys: [{ ...key, scopes: [['rounds:write']] }] })).toHaveLength(1);
});

test.each(['', '[]', 'null', '{"keys":{}}', '{"quotas":[]}'])('%j is no access file', (document) => {
  expect(faultsOf(document)).toHaveLength(1);
});
