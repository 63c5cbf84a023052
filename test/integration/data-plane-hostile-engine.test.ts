import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShmSession } from '#native/shm/shm-session';
import { projectPath } from '#schemas/project-root';

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-hostile-'));
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

let last = 0;

/** An engine that does this (test/native/live_plane/hostile_engine.cpp); the path of its socket. */
async function startEngine(misdeed: string): Promise<string> {
  const socketPath = join(folder, String(++last));
  const program = projectPath('build/native/tests/hostile_engine');
  const child = spawn(program, [socketPath, misdeed], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return socketPath;
}

interface Met {
  readonly session: ShmSession;
  /** Resolves to the reason. */
  readonly ended: Promise<string>;
  infer(): Promise<unknown>;
}

async function meet(misdeed: string): Promise<Met> {
  let onEnd: (reason: string) => void;
  const ended = new Promise<string>((resolve) => (onEnd = resolve));
  const session = await ShmSession.open({
    socketPath: await startEngine(misdeed),
    onEnd: (reason) => onEnd(reason),
  });
  const data = Buffer.alloc(50_000);
  const inputs = [{ name: 'IN', datatype: 'UINT8', shape: [50_000], data }];
  const infer = () => session.infer({ model: 'm', version: -1, requestId: 'r', inputs });
  return { session, ended, infer };
}

const outside = 'an output lies outside of its slot';

test.each([
  ['offset', outside],
  ['length', outside],
  ['overflow', outside],
  ['frame', outside],
  ['frame-overflow', outside],
  ['stranger', 'an answer to no request'],
  ['kind', 'a frame of an unknown kind'],
  ['empty', 'a frame ends too early'],
  ['short', 'a frame ends too early'],
  ['count', 'a frame counts more than it holds'],
  ['head', 'the writer of a ring is out of bounds'],
  ['long', 'a frame is too long'],
  ['longest', 'a frame is too long'],
  ['reply', 'a second reply'],
  ['hang-up', 'the engine hung up'],
])('an engine that breaks the protocol ends the session, not the worker: %s', async (misdeed, reason) => {
  const { session, ended, infer } = await meet(misdeed);
  await expect(infer()).rejects.toMatchObject({ code: 'SESSION_ENDED', message: reason });
  expect(await ended).toBe(reason);
  expect(session.heldSlots).toBe(0);
  await expect(infer()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
});

test('an answer that comes twice: the first one counts, and the session ends', async () => {
  const { session, ended, infer } = await meet('twice');
  expect(await infer()).toMatchObject({ outputs: [{ name: 'OUT', shape: [10] }] });
  expect(await ended).toBe('an answer to no request');
  expect(session.heldSlots).toBe(0);
});

test('outputs of 2^64 - 1 bytes are too large', async () => {
  const { session, infer } = await meet('grow');
  await expect(infer()).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' });
  await session.close();
  expect(session.heldSlots).toBe(0);
});

test('a ring whose reader claims more than was written ends the session with the next request', async () => {
  const { session, ended, infer } = await meet('tail');
  await infer();
  const reason = 'the reader of a ring is ahead of its writer';
  await expect(infer()).rejects.toMatchObject({ code: 'SESSION_ENDED', message: reason });
  expect(await ended).toBe(reason);
  expect(session.heldSlots).toBe(0);
});

test('an offer that is refused', async () => {
  await expect(meet('refuse')).rejects.toMatchObject({
    code: 'PEER_INVALID',
    message: expect.stringMatching(/^refused: x+$/),
  });
});
