import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config';
import { accessSettingsOf } from './access-settings';
import { Credentials } from './credentials';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-credentials-'));
afterAll(() => rmSync(folder, { recursive: true }));

const events = { AccessFileFollowed: () => undefined, AccessFileRefused: () => undefined };
const audit = { record: () => undefined, close: () => undefined };

function open(env: Record<string, string>): Credentials {
  return new Credentials('INGEST', loadConfig(env, accessSettingsOf('INGEST')), events, audit);
}

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test.each<[string, Record<string, string>]>([
  ['ROUNDHOUSE_INGEST_JWT_ISSUER', { ROUNDHOUSE_INGEST_JWT_ISSUER: 'https://id.example' }],
  ['ROUNDHOUSE_INGEST_JWT_AUDIENCE', { ROUNDHOUSE_INGEST_JWT_AUDIENCE: 'roundhouse' }],
  ['ROUNDHOUSE_INGEST_ACCESS_FILE', { ROUNDHOUSE_INGEST_ACCESS_FILE: folder }],
  ['ROUNDHOUSE_INGEST_ACCESS_FILE', { ROUNDHOUSE_INGEST_ACCESS_FILE: join(folder, 'none') }],
  ['ROUNDHOUSE_INGEST_ACCESS_FILE', { ROUNDHOUSE_INGEST_ACCESS_FILE: '/dev/zero' }],
  ['ROUNDHOUSE_INGEST_ACCESS_FILE', { ROUNDHOUSE_INGEST_ACCESS_FILE: fileOf('half', '{"keys":[') }],
  ['ROUNDHOUSE_INGEST_JWT_KEYS', { ROUNDHOUSE_INGEST_JWT_KEYS: fileOf('empty', '') }],
])('%s is named where it can’t be used: %j', (key, env) => {
  expect(() => open(env)).toThrow(key);
});

test('a file without keys lets nobody in', () => {
  const credentials = open({ ROUNDHOUSE_INGEST_ACCESS_FILE: fileOf('none.json', '{}') });
  expect(credentials.areAsked).toBe(true);
  expect(credentials.find('a.b.c', 0)).toEqual({ refusal: 'malformed' });
  credentials.close();
});

test('without files nobody is asked', () => {
  expect(open({}).areAsked).toBe(false);
});
