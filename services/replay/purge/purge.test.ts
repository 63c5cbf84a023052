import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recorded, smallRound, writeRecording } from '../../../test/support/small-recording';
import { manifestName, readManifest, writeManifest } from '../recording/manifest-file';
import { parsePurge } from './options';
import { purgeCommand, removeRecording } from './purge-command';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-purge-'));
afterAll(() => rmSync(folder, { recursive: true }));
const auditFile = join(folder, 'audit.jsonl');

/** Of rounds until the time given (Unix ms). */
function recording(name: string, to: number): string {
  const at = join(folder, 'all', name);
  writeRecording(at, [recorded(smallRound(1))]);
  const manifest = readManifest(at);
  writeManifest(at, {
    ...manifest,
    origin: { kind: 'kafka', topicPrefix: '', from: 0, to },
    progress: { ...manifest.progress, until: to },
  });
  return at;
}

async function purge(...words: string[]): Promise<string[]> {
  const told: string[] = [];
  const place = {
    env: { ROUNDHOUSE_AUDIT_FILE: auditFile },
    signal: new AbortController().signal,
    tell: (line: string) => void told.push(line),
    tellError: () => undefined,
  };
  expect(await purgeCommand(parsePurge(words), place)).toBe(0);
  return told;
}

test('recordings of which nothing is as new are removed, audited, and nothing else', async () => {
  mkdirSync(join(folder, 'all'));
  const day = Date.UTC(2026, 10, 1);
  const [old, young] = [recording('old', day), recording('young', day + 1_000)];
  writeFileSync(join(folder, 'all', 'notes.txt'), 'kept');
  const before = new Date(day + 1_000).toISOString();
  const would = await purge(join(folder, 'all'), '--before', before, '--dry-run');
  expect(would).toEqual([
    expect.stringMatching(/old: would be removed, .* until 2026-11-01T00:00/),
    '1 recording, 1 kept',
  ]);
  expect(existsSync(old)).toBe(true);
  await purge(join(folder, 'all'), '--before', before);
  expect([old, young, join(folder, 'all', 'notes.txt')].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
  ]);
  const lines = readFileSync(auditFile, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ action: 'recording.removed', outcome: 'done' });
});

test('an import is as old as its coming here, and one recording can be named itself', async () => {
  const imported = recording('imported', 0);
  writeManifest(imported, { ...readManifest(imported), origin: { kind: 'rounds', files: [] } });
  const days = 40;
  const then = new Date(Date.now() - days * 86_400_000);
  expect(await purge(imported, '--before', '30d')).toEqual(['0 recordings, 1 kept']);
  utimesSync(join(imported, manifestName), then, then);
  expect(await purge(imported, '--before', '30d')).toHaveLength(2);
  expect(existsSync(imported)).toBe(false);
});

test('a purge that was ended half-way leaves a recording that the next one finds', async () => {
  const old = recording('half', 1);
  expect(readdirSync(old).length).toBeGreaterThan(1);
  for (const most of [0, 1, Infinity]) {
    let removed = 0;
    const ended = (path: string): void => {
      if (path === old || removed++ >= most) throw new Error('ended');
      rmSync(path);
    };
    expect(() => removeRecording(old, ended)).toThrow('ended');
    expect(existsSync(join(old, manifestName))).toBe(true);
  }
  expect(await purge(old, '--before', 'now')).toHaveLength(2);
  expect(existsSync(old)).toBe(false);
});

test('nothing is removed where a recording can’t be read', async () => {
  const old = recording('readable', 0);
  const broken = recording('unreadable', 0);
  writeFileSync(join(broken, manifestName), '{}');
  await expect(purge(join(folder, 'all'), '--before', 'now')).rejects.toThrow(/format/);
  expect(existsSync(old)).toBe(true);
});

test.each([
  [[], 'DIR is needed'],
  [['x'], '--before is needed'],
  [['x', '--before', 'soon'], 'one of Unix ms'],
  [['x', 'y', '--before', 'now'], 'one word too many'],
])('%j is refused: %s', (words, reason) => {
  expect(() => parsePurge(words)).toThrow(reason);
});
