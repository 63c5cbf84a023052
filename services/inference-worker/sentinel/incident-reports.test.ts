import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Incident } from './incident';
import { IncidentReports, mostReportBytes, reportText } from './incident-reports';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-reports-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function incident(second: number, changes: Partial<Incident> = {}): Incident {
  return {
    kind: 'death',
    role: 'active',
    reason: 'SIGSEGV',
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
    reaction: 'restart',
    engine: { device: 'cpu', pid: 42, exitCode: null, signal: 'SIGSEGV', startMs: 200, upMs: 5_000 },
    silence: null,
    requests: [],
    stderrTail: '',
    core: { pattern: 'core', path: null },
    memory: { residentBytes: 1, sharedBytes: 0, limitBytes: 0, machineFreeBytes: 1 },
    models: [],
    circuit: { state: 'closed', strikes: 0 },
    versions: { roundhouse: '0', node: 'v20' },
    ...changes,
  };
}

test('a report is a file that only we may read; the oldest go, and other files stay', () => {
  const inside = join(folder, 'new', 'incidents');
  const reports = new IncidentReports(inside, 3);
  const first = reports.write(incident(0));
  expect(JSON.parse(readFileSync(first, 'utf8'))).toEqual(incident(0));
  expect([statSync(first).mode & 0o777, statSync(inside).mode & 0o777]).toEqual([0o600, 0o700]);
  writeFileSync(join(inside, 'notes.json'), '');
  for (let i = 1; i < 5; i++) reports.write(incident(i));
  expect(readdirSync(inside).sort()).toEqual([
    ...[2, 3, 4].map((i) => `20260101T00000${i}000Z-42-death.json`),
    'notes.json',
  ]);
});

test('a report that would be too long loses its requests first, then its text', () => {
  const request = {
    id: 'é'.repeat(200),
    model: 'm',
    version: '1',
    bytes: 1,
    ageMs: 1,
    tookMs: 1,
    result: 'ok',
  };
  const long = incident(0, { requests: Array(400).fill(request), stderrTail: 'words' });
  const text = reportText(long);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostReportBytes);
  expect(JSON.parse(text)).toMatchObject({ stderrTail: 'words', requests: { length: 8 } });
  const longer = reportText(incident(0, { stderrTail: 'x'.repeat(200_000) }));
  expect(JSON.parse(longer)).toMatchObject({ kind: 'death', stderrTail: 'x'.repeat(2_000) });
  const longest = reportText(incident(0, { reason: 'x'.repeat(200_000) }));
  expect(JSON.parse(longest)).toEqual({
    kind: 'death',
    role: 'active',
    at: incident(0).at,
    reaction: 'restart',
    engine: incident(0).engine,
  });
});

test('a folder that can not be made is said, not hidden', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => new IncidentReports(join(folder, 'file', 'incidents')).write(incident(0))).toThrow(/ENOTDIR/);
  // Node's own `recursive` never returns there.
  expect(() => new IncidentReports('/proc/nobody/incidents').write(incident(0))).toThrow(/ENOENT/);
});

/** As on a full disk: it was begun and could not be finished. */
test('a report that can not be put in its place leaves nothing, and the folder is named', () => {
  const name = '20260101T000000000Z-42-death.json';
  mkdirSync(join(folder, name));
  expect(() => new IncidentReports(folder).write(incident(0))).toThrow(`${folder}: EISDIR`);
  expect(readdirSync(folder)).toEqual([name]);
});
