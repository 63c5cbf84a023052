import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { ShmSession } from '#native/shm/shm-session';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, echoInputs, makeRepository, type TestRepository } from './engine-repository';

const kills = process.env['TEST_FULL'] ? 100 : 10;
jest.setTimeout(kills * 6_000 + 60_000);

let repository: TestRepository;
beforeAll(() => {
  repository = makeRepository({ echo: echoConfig() });
});
afterAll(() => repository.remove());

/** What the data plane holds in a process: descriptors, and mappings of segments. */
function holdings(pid: number): { readonly fds: number; readonly segments: number } {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return '';
    }
  });
  const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const isSegment = (text: string): boolean => text.includes('/memfd:roundhouse');
  return {
    fds: targets.filter((target) => target !== '').length,
    segments: targets.filter(isSegment).length + mapped.filter(isSegment).length,
  };
}

const sharedFiles = (): string[] => readdirSync('/dev/shm').filter((name) => name.startsWith('roundhouse'));

async function eventually(condition: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

const request = () => ({
  model: 'echo',
  version: -1,
  requestId: '',
  inputs: echoInputs(Array.from({ length: 20_000 }, () => 1)),
});

/** Sends requests without an end, several at a time. */
function startCaller(socket: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [projectPath('test/fixtures/data-plane-caller.js'), socket], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the caller ended with ${code}`)));
  });
}

test(`${kills} callers are killed in the middle of their requests: the engine keeps nothing of them`, async () => {
  const engine: RunningEngine = await startEngineProcess(repository.folder);
  const pid = engine.child.pid!;
  const cycle = async (): Promise<void> => {
    const caller = await startCaller(dataPlaneSocket(engine.socket));
    await eventually(() => holdings(pid).segments > 0);
    caller.removeAllListeners('exit');
    caller.kill('SIGKILL');
    await new Promise((resolve) => caller.once('exit', resolve));
    await eventually(() => holdings(pid).segments === 0);
  };
  await cycle();
  const before = holdings(pid).fds;
  for (let i = 0; i < kills; i += 1) await cycle();
  await eventually(() => holdings(pid).fds <= before);
  expect(sharedFiles()).toEqual([]);
  expect(await engine.stop()).toBe(0);
});

test(`${kills} engines are killed in the middle of requests: the caller keeps nothing of them`, async () => {
  const cycle = async (): Promise<void> => {
    const engine = await startEngineProcess(repository.folder);
    let reason = '';
    const session = await ShmSession.open({
      socketPath: dataPlaneSocket(engine.socket),
      onEnd: (text) => (reason = text),
    });
    const warm = await session.infer(request());
    expect(warm.outputs).toHaveLength(2);
    const all = Promise.allSettled(Array.from({ length: 16 }, () => session.infer(request())));
    engine.child.kill('SIGKILL');
    const ends = await all;
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'SESSION_ENDED' });
    }
    await eventually(() => reason !== '');
    expect(session.heldSlots).toBe(0);
    await session.close();
    await engine.stop();
  };
  await cycle();
  const before = holdings(process.pid);
  for (let i = 0; i < kills; i += 1) await cycle();
  const after = holdings(process.pid);
  expect(after.fds).toBeLessThanOrEqual(before.fds + 2);
  // Other tests of this process may have left views to the collector.
  expect(after.segments).toBeLessThanOrEqual(before.segments);
  expect(sharedFiles()).toEqual([]);
});
