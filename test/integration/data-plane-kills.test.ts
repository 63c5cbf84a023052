import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { projectPath } from '#schemas/project-root';
import type { UnixMs } from '#schemas/brands';
import { circuitPolicy } from '#services/inference-worker/sentinel/circuit';
import { openFiles } from '../../bench/pipeline/open-files';
import { startEngineProcess } from './engine-process';
import { echoConfig, echoInputs, makeRepository, type TestRepository } from './engine-repository';
import { startSentinel, type SentinelBench } from './sentinel-harness';
import { killedWithFile } from '../support/closed-with-file';

const kills = process.env['TEST_FULL'] ? 100 : 10;
jest.setTimeout(kills * 6_000 + 60_000);

let repository: TestRepository;
beforeAll(() => {
  repository = makeRepository({ echo: echoConfig() });
});
afterAll(() => repository.remove());

interface Holdings {
  readonly fds: number;
  /** Descriptors and mappings of segments. */
  readonly segments: number;
  /** Pages of them in the process. */
  readonly sharedKb: number;
}

function holdings(pid: number): Holdings {
  const targets = openFiles(pid);
  const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const isSegment = (text: string): boolean => text.includes('/memfd:roundhouse');
  const shared = /^RssShmem:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    fds: targets.filter((target) => target !== '').length,
    segments: targets.filter(isSegment).length + mapped.filter(isSegment).length,
    sharedKb: Number(shared![1]),
  };
}

/** Named shared memory of these processes (names hold their numbers). */
function sharedFilesOf(pids: readonly number[]): string[] {
  return readdirSync('/dev/shm').filter((name) => pids.some((pid) => name.split('-').includes(`${pid}`)));
}

async function eventually(condition: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

/** Sends requests without an end, several at a time. */
function startCaller(socket: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [projectPath('test/fixtures/data-plane-caller.js'), socket], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  killedWithFile(child);
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the caller ended with ${code}`)));
  });
}

test(`${kills} callers are killed in the middle of their requests: the engine keeps nothing of them`, async () => {
  const engine = await startEngineProcess(repository.folder);
  const pid = engine.child.pid!;
  const folder = dirname(engine.socket);
  const callers: number[] = [];
  const cycle = async (): Promise<void> => {
    const caller = await startCaller(dataPlaneSocket(engine.socket));
    callers.push(caller.pid!);
    await eventually(() => holdings(pid).segments > 0);
    caller.removeAllListeners('exit');
    caller.kill('SIGKILL');
    await new Promise((resolve) => caller.once('exit', resolve));
    await eventually(() => holdings(pid).segments === 0);
  };
  await cycle();
  const before = holdings(pid);
  const filesBefore = readdirSync(folder, { recursive: true }).sort();
  for (let i = 0; i < kills; i += 1) await cycle();
  await eventually(() => holdings(pid).fds <= before.fds);
  await eventually(() => holdings(pid).sharedKb <= before.sharedKb);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(filesBefore);
  expect(sharedFilesOf([pid, ...callers])).toEqual([]);
  expect(await engine.stop()).toBe(0);
});

/** Requests that an engine is killed with: each has an answer or is lost. */
async function killWithRequests(bench: SentinelBench): Promise<number> {
  const pid = await bench.pid();
  const client = await bench.client();
  const inputs = echoInputs(Array.from({ length: 20_000 }, () => 1));
  const ask = () =>
    client.infer({ model: 'echo', version: '', requestId: '', inputs }, (Date.now() + 60_000) as UnixMs);
  expect((await ask()).outputs).toHaveLength(2);
  const all = Promise.allSettled(Array.from({ length: 16 }, ask));
  process.kill(pid, 'SIGKILL');
  for (const end of await all) {
    if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'ENGINE_LOST' });
  }
  return pid;
}

test(`${kills} engines are killed in the middle of requests: the worker keeps nothing of them`, async () => {
  // None is part of a crash loop, so the next one comes at once.
  const circuit = { ...circuitPolicy(1_000), staysUpMs: 0 };
  const bench = startSentinel(repository.folder, { circuit });
  const engines: number[] = [];
  const cycle = async (): Promise<Holdings> => {
    engines.push(await killWithRequests(bench));
    await bench.untilSeen('IncidentReported', engines.length);
    await bench.pid();
    await bench.untilSeen('DataPlaneOpened', engines.length + 1);
    return holdings(process.pid);
  };
  await cycle();
  const before = await cycle();
  for (let i = 0; i < kills; i += 1) await cycle();
  const own = dirname(bench.link.address()!.slice('unix:'.length));
  await eventually(() => holdings(process.pid).fds <= before.fds + 2);
  await eventually(() => holdings(process.pid).segments <= before.segments);
  // Of the worker's folder only that of the engine that is up is left.
  expect(readdirSync(dirname(own))).toEqual([own.slice(dirname(own).length + 1)]);
  expect(sharedFilesOf(engines)).toEqual([]);
  await bench.stop();
  expect(readdirSync(dirname(dirname(own)))).not.toContain(dirname(own).split('/').at(-1));
});
