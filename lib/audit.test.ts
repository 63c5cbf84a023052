import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuditLog } from './audit';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entry = { action: 'model.load', actor: 'certificate:ops', subject: 'echo', outcome: 'done' } as const;

function recorded() {
  const lines: object[] = [];
  const logger = {
    info: (line: object) => void lines.push(line),
    error: (line: object) => void lines.push(line),
  };
  return { lines, logger: logger as never };
}

test('an entry is a line of the log and of a file that only its owner reads', () => {
  const auditFile = join(folder, 'audit.jsonl');
  const { lines, logger } = recorded();
  for (const service of ['ingest', 'inference-worker']) {
    const audit = openAuditLog({ auditFile, service, logger });
    audit.record(entry);
    audit.close();
  }
  const written = readFileSync(auditFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(written).toMatchObject([
    { service: 'ingest', ...entry },
    { service: 'inference-worker', ...entry },
  ]);
  expect(statSync(auditFile).mode & 0o777).toBe(0o600);
  expect(lines).toEqual([
    { event: 'Audited', ...entry },
    { event: 'Audited', ...entry },
  ]);
});

test('without a file the log has it', () => {
  const { lines, logger } = recorded();
  openAuditLog({ auditFile: '', service: 'ingest', logger }).record(entry);
  expect(lines).toEqual([{ event: 'Audited', ...entry }]);
});

test('a file that cannot be opened is a fault of the configuration; one that is full is told', () => {
  const { lines, logger } = recorded();
  const open = (auditFile: string) => openAuditLog({ auditFile, service: 'ingest', logger });
  expect(() => open(folder)).toThrow(/ROUNDHOUSE_AUDIT_FILE=.*EISDIR/);
  expect(() => open('/nowhere/audit')).toThrow(/ENOENT/);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => open(pipe)).toThrow(/ROUNDHOUSE_AUDIT_FILE=.*ENXIO/); // nobody reads it
  open('/dev/full').record(entry);
  expect(lines).toMatchObject([{ event: 'Audited' }, { event: 'AuditFailed', action: 'model.load' }]);
});
