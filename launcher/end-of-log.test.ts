import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOfLog } from './end-of-log';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'roundhouse-log-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function endOf(text: string): string {
  const file = join(folder, 'a.log');
  writeFileSync(file, text);
  return endOfLog(file);
}

test('the lines of a service are told in words', () => {
  const lines = [
    { level: 40, event: 'RedisLost', reason: 'ECONNREFUSED', service: 'ingest' },
    { level: 60, event: 'ServiceFailed', exitCode: 1, msg: 'PORT_IN_USE: port 8080 on 127.0.0.1 is in use' },
    { level: 30, event: 'ServiceStopped', exitCode: 1 },
  ];
  expect(endOf(`${lines.map((line) => JSON.stringify(line)).join('\n')}\ningest: said\n`)).toBe(
    'RedisLost: ECONNREFUSED\nServiceFailed: PORT_IN_USE: port 8080 on 127.0.0.1 is in use\nServiceStopped\ningest: said',
  );
});

test('other lines stay as they are, a cut one too', () => {
  expect(endOf('{"event": "cut\n{}\n[1]\nplain {x}\n')).toBe('{"event": "cut\n{}\n[1]\nplain {x}');
  expect(endOfLog(join(folder, 'absent.log'))).toBe('');
});
