import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitedServer, configFaultIn, endOfLog } from './end-of-log';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'roundhouse-log-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, 'a.log');
  writeFileSync(file, text);
  return file;
}
const endOf = (text: string): string => endOfLog(fileOf(text));

test('the lines of a service are told in words, without the names of events', () => {
  const lines = [
    { level: 40, event: 'RedisLost', reason: 'ECONNREFUSED', service: 'ingest' },
    { level: 60, event: 'ServiceFailed', exitCode: 1, msg: 'PORT_IN_USE: port 8080 on 127.0.0.1 is in use' },
    { level: 30, event: 'ServiceStopped', exitCode: 1 },
  ];
  expect(endOf(`${lines.map((line) => JSON.stringify(line)).join('\n')}\ningest: said\n`)).toBe(
    'ECONNREFUSED\ningest: said',
  );
});

test('other lines stay as they are, a cut one too', () => {
  expect(endOf('{"event": "cut\n{}\n[1]\nplain {x}\n')).toBe('{"event": "cut\n{}\n[1]\nplain {x}');
  expect(endOfLog(join(folder, 'absent.log'))).toBe('');
});

test('the server that is waited for is the one of the last line', () => {
  const awaits = '{"event":"DependencyAwaited","reason":"refused","msg":"waiting for Kafka at h:1"}\n';
  expect(awaitedServer(fileOf(awaits))).toBe('Kafka at h:1');
  expect(awaitedServer(fileOf(`${awaits}{"event":"ClockSkewMeasured","skewMs":1}\n`))).toBe('');
  expect(awaitedServer(fileOf('{"event":"IncidentReported","reason":"exit code 1"}\n'))).toBe('');
  expect(awaitedServer(join(folder, 'absent.log'))).toBe('');
});

test('a fault of the configuration with all its lines', () => {
  const lines = ['{"event":"A"}', 'ingest: CONFIG_INVALID: 2 faults', 'X: bad', 'Y: bad', '{"event":"B"}'];
  expect(configFaultIn(fileOf(`${lines.join('\n')}\n`))).toBe('2 faults\nX: bad\nY: bad');
  expect(configFaultIn(fileOf('ingest: PORT_IN_USE: 1\n'))).toBe('');
});
