import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAccessFile } from '#lib/access/access-file';
import { readApiKey } from '#lib/access/api-key';
import { auditedCommand } from '../audited-command';
import { readInvocation } from './arguments';
import { carryOut } from './change-file';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-api-keys-'));
const file = join(folder, 'access.json');
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...words: string[]) => carryOut(readInvocation([...words, '--file', file]));

test('a new key is printed once, listed without its hash, and revoked', () => {
  const key = run('new', '--id', 'acme-1', '--tenant', 'acme', '--scopes', 'rounds:write');
  const reading = readAccessFile(readFileSync(file, 'utf8'));
  if (reading.kind !== 'rules') throw new Error('no rules');
  expect(reading.rules.keys[0]?.sha256).toBe(readApiKey(key)?.hash.toString('hex'));
  expect(readFileSync(file, 'utf8')).not.toContain(key.slice(-43));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(run('list')).toBe('{"id":"acme-1","tenant":"acme","scopes":["rounds:write"]}');
  expect(() => run('new', '--id', 'acme-1', '--tenant', 'acme')).toThrow(/has a key acme-1/);
  expect(run('revoke', '--id', 'acme-1')).toBe('revoked acme-1');
  expect(() => run('revoke', '--id', 'acme-1')).toThrow(/has no key acme-1/);
  expect(run('list')).toMatch(/^no keys/);
});

test('quotas of the file stay, and a file with faults is left as it is', () => {
  writeFileSync(file, '{"quotas":{"*":{"roundsPerMinute":60}}}');
  run('new', '--id', 'b', '--tenant', 'b', '--expires', '2027-01-31T00:00:00Z');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ quotas: { '*': { roundsPerMinute: 60 } } });
  expect(() => run('new', '--id', 'c', '--tenant', 'c', '--expires', 'soon')).toThrow(/2027-01-31/);
  writeFileSync(file, '{"kees":[]}');
  expect(() => run('new', '--id', 'c', '--tenant', 'c')).toThrow(/did you mean keys/);
  expect(readFileSync(file, 'utf8')).toBe('{"kees":[]}');
});

test('who could read the file can read it after a change, also through a link', () => {
  writeFileSync(file, '{}');
  chmodSync(file, 0o640);
  const isRoot = process.getuid!() === 0;
  if (isRoot) chownSync(file, 65_534, 65_534);
  const link = join(folder, 'link.json');
  symlinkSync('access.json', link);
  carryOut(readInvocation(['new', '--id', 'linked', '--tenant', 'a', '--file', link]));
  const { mode, uid, gid } = statSync(file);
  expect([mode & 0o777, uid, gid]).toEqual([0o640, ...(isRoot ? [65_534, 65_534] : [uid, gid])]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(run('list')).toContain('"linked"');
  expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([]);
});

test.each([
  [[], 'no command: it is one of new, revoke, list'],
  [['make'], 'make: it is one of new, revoke, list'],
  [['new', '--tenant', 'a'], '--id is needed'],
  [['new', '--id', 'A', '--tenant', 'a'], 'lower-case'],
  [['new', '--id', 'a'], '--tenant is needed'],
  [['new', '--id', 'a', '--tenant', 'a', '--scopes', 'all'], 'there are rounds:write'],
])('%j is refused: %s', (words, reason) => {
  expect(() => readInvocation([...words, ...(words.length > 0 ? ['--file', file] : [])])).toThrow(reason);
});

test('a command is audited whether it did something or failed', async () => {
  const auditFile = join(folder, 'audit.jsonl');
  const env = { ROUNDHOUSE_AUDIT_FILE: auditFile };
  await auditedCommand(env, { action: 'a', subject: 's', run: () => 1 });
  await auditedCommand(env, { action: 'b', subject: 's', run: () => 1, faultOf: () => 'refused' });
  const failing = { action: 'c', subject: 's', run: () => Promise.reject(new Error('broken')) };
  await expect(auditedCommand(env, failing)).rejects.toThrow('broken');
  const lines = readFileSync(auditFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { action: 'a', outcome: 'done', actor: expect.stringMatching(/^user:/) },
    { action: 'b', outcome: 'failed', reason: 'refused' },
    { action: 'c', outcome: 'failed', reason: 'broken' },
  ]);
});
