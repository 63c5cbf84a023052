import { newApiKey } from './api-key';
import type { AuditEntry } from '../audit';
import type { Scope } from './scopes';
import { noLimit, type Quota } from './access-file';
import type { RoundhouseError } from '#schemas/errors';
import type { Credentials } from './credentials';
import { findKey, keysById } from './find-key';
import { AccessGate } from './gate';

const start = Date.UTC(2026, 10, 30);
const acme = newApiKey('acme-1');
const old = newApiKey('acme-0');
const scopes = ['rounds:write'] as const;
const keys = keysById([
  { id: 'acme-1', tenant: 'acme', scopes, sha256: acme.sha256, expiresAt: null },
  { id: 'acme-0', tenant: 'acme', scopes, sha256: old.sha256, expiresAt: start },
]);

function gateOf(quota: Partial<Quota> = {}, areAsked = true) {
  const audited: AuditEntry[] = [];
  const counted: string[] = [];
  const clock = { now: start };
  const credentials = {
    areAsked,
    find: (text: string, now: number) => findKey(text, keys, now),
    quotaOf: () => ({ ...noLimit, ...quota }),
  } as unknown as Credentials;
  const gate = new AccessGate({
    credentials,
    events: { AccessRefused: ({ reason }) => void counted.push(reason) },
    audit: { record: (entry) => void audited.push(entry), close: () => undefined },
    now: () => clock.now,
  });
  const ask = (
    authorization: string | undefined,
    tenant?: string,
    scope: Scope = 'rounds:write',
    address = '10.0.0.9',
  ) =>
    gate
      .admit({ edge: 'http', authorization, address, scope, tenant })
      .then((admitted) => admitted.tenant)
      .catch((error: unknown) => (error as RoundhouseError).code);
  const stillAdmits = (authorization: string, tenant: string) =>
    gate.stillAdmits({ edge: 'grpc', authorization, address: '', scope: 'rounds:write', tenant }, tenant);
  return { ask, audited, counted, clock, stillAdmits };
}

const bearer = (text: string) => `Bearer ${text}`;

test('without keys and tokens everybody is whom they say', async () => {
  const { ask } = gateOf({}, false);
  expect(await ask(undefined)).toBeUndefined();
  expect(await ask(undefined, 'acme')).toBe('acme');
});

test('a key stands for its tenant, named or not, and for no other', async () => {
  const { ask, audited } = gateOf();
  expect(await ask(bearer(acme.text))).toBe('acme');
  expect(await ask(`bearer ${acme.text}`, 'acme')).toBe('acme');
  expect(await ask(bearer(acme.text), 'other')).toBe('FORBIDDEN');
  expect(await ask(bearer(acme.text), 'acme', 'decisions:read')).toBe('FORBIDDEN');
  expect(audited).toMatchObject([
    { actor: 'key:acme-1', subject: 'rounds:write of other', reason: 'tenant', address: '10.0.0.9' },
    { actor: 'key:acme-1', subject: 'decisions:read of acme', reason: 'scope' },
  ]);
});

test('what is no key of ours is answered alike, and only the log knows why', async () => {
  const { ask, counted, audited } = gateOf();
  const secretOfAnother = `rh_acme-1_${newApiKey('x').text.slice(-43)}`;
  const tried = [undefined, 'Basic abc', 'Bearer', bearer('a b'), bearer('rh_'), bearer(secretOfAnother)];
  for (const text of [...tried, bearer(newApiKey('nobody').text), bearer(old.text)])
    expect(await ask(text)).toBe('UNAUTHENTICATED');
  const malformed = ['malformed', 'malformed', 'malformed', 'malformed'];
  expect(counted).toEqual(['absent', ...malformed, 'unknown', 'unknown', 'expired']);
  expect(JSON.stringify(audited)).not.toContain(secretOfAnother);
});

test('a flood of wrong keys from an address is counted, not told, and a right one still passes', async () => {
  const { ask, audited, counted, clock } = gateOf();
  const answers = [];
  for (let i = 0; i < 25; i++) answers.push(await ask(bearer('rh_')));
  expect(answers.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(20); // the burst
  expect(answers.slice(20)).toEqual(Array(5).fill('QUOTA_EXCEEDED'));
  expect([audited.length, counted.length]).toEqual([20, 25]);
  expect(await ask(bearer(acme.text))).toBe('acme');
  clock.now += 1_000; // one more a second
  expect(await ask(bearer('rh_'))).toBe('UNAUTHENTICATED');
});

test('addresses of one IPv6 network are one caller: whoever has it chooses among them', async () => {
  const { ask, audited } = gateOf();
  const from = (i: number) => `2001:db8:1:2::${i.toString(16)}`;
  for (let i = 0; i < 25; i++) await ask(bearer('rh_'), undefined, 'rounds:write', from(i));
  expect(audited).toHaveLength(20); // the burst
});

test('requests a second of a tenant, twice as many after a pause', async () => {
  const { ask, clock, counted, audited } = gateOf({ requestsPerSecond: 2 });
  const answers = [];
  for (let i = 0; i < 5; i++) answers.push(await ask(bearer(acme.text)));
  expect(answers).toEqual(['acme', 'acme', 'acme', 'acme', 'QUOTA_EXCEEDED']);
  expect([counted, audited]).toEqual([['rate'], []]);
  clock.now += 500;
  expect(await ask(bearer(acme.text))).toBe('acme');
});

test('a stream is asked again, without a word in the log', async () => {
  const { stillAdmits, clock, counted, audited } = gateOf();
  clock.now = start - 1;
  expect(await stillAdmits(bearer(old.text), 'acme')).toBe(true);
  expect(await stillAdmits(bearer(acme.text), 'other')).toBe(false);
  clock.now = start; // the old key ends
  expect(await stillAdmits(bearer(old.text), 'acme')).toBe(false);
  expect([...counted, ...audited]).toEqual([]);
});
