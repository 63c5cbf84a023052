import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogSink } from './log-sink';

let folder: string;
const open: number[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'log-sink-'))));
afterEach(() => {
  open.splice(0).forEach((fd) => closeSync(fd));
  rmSync(folder, { recursive: true });
});

/** A pipe whose writes never block. */
function pipe(): { reader: number; writer: number } {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  return { reader, writer };
}

function readAll(fd: number): string {
  const buffer = Buffer.alloc(1 << 20);
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw error;
  }
}

test('lines come in their order', async () => {
  const { reader, writer } = pipe();
  open.push(reader, writer);
  const sink = new LogSink(writer);
  for (const line of ['a\n', 'b\n', 'c\n']) sink.write(line);
  await sink.flushed(10_000);
  expect(readAll(reader)).toBe('a\nb\nc\n');
});

test('a reader that is gone ends the log and nothing waits for it', async () => {
  const { reader, writer } = pipe();
  open.push(writer);
  closeSync(reader);
  const sink = new LogSink(writer);
  sink.write('a\n');
  sink.write('b\n');
  await sink.flushed(3_600_000);
  sink.write('c\n');
  await sink.flushed(3_600_000);
});

test('what a slow reader does not take is kept up to the limit, and the rest is counted', async () => {
  const { reader, writer } = pipe();
  open.push(reader, writer);
  // A pipe holds 65,536 bytes, so the second line waits. 200,000 take two lines of 100,000; three are dropped.
  const sink = new LogSink(writer, 200_000);
  for (let line = 0; line < 5; line++) sink.write(`${String(line).repeat(99_999)}\n`);
  await sink.flushed(50);
  let text = '';
  for (const flushed = sink.flushed(60_000).then(() => true); ;) {
    text += readAll(reader);
    if (await Promise.race([flushed, new Promise<false>((resolve) => setTimeout(resolve, 5, false))])) break;
  }
  text += readAll(reader);
  const lines = text.trimEnd().split('\n');
  expect(lines.map((line) => line[0])).toEqual(['0', '1', '{']);
  expect(JSON.parse(lines[2]!)).toEqual({ level: 'warn', event: 'LogLinesDropped', lines: 3 });
});
