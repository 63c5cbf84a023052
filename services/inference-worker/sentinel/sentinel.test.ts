import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EngineClient } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { projectPath } from '#schemas/project-root';
import { EngineLink } from '../engine-link';
import { workerEvents } from '../events';
import { circuitPolicy } from './circuit';
import { Sentinel } from './sentinel';

const telemetry = createTelemetry({ service: 'sentinel-test', logLevel: 'silent' });
const events = workerEvents(telemetry);
const incidentFolder = mkdtempSync(join(tmpdir(), 'roundhouse-incidents-'));
afterAll(() => rmSync(incidentFolder, { recursive: true }));

/** A process that says that it is ready, asked by clients of which the first answers as given. */
function supervise(firstAnswer: () => Promise<boolean>) {
  const link = new EngineLink();
  const losses: string[] = [];
  const hangUps: ((reason: string) => void)[] = [];
  let answers = 0;
  const live = (): Promise<boolean> => Promise.resolve(++answers > 0);
  const sentinel = new Sentinel({
    mainFile: projectPath('test', 'fixtures', 'engine-says-ready.js'),
    env: { ...process.env, ROUNDHOUSE_ENGINE_READS: projectPath('test', 'fixtures') },
    readyTimeoutMs: 30_000,
    standby: false,
    silenceFloorMs: 1_000,
    memoryLimitBytes: 0,
    incidentFolder,
    circuit: circuitPolicy(5_000),
    logger: telemetry.logger,
    events: { ...events, EngineLost: ({ kind, reason }) => void losses.push(`${kind}: ${reason}`) },
    link,
    connect(_address, onHangUp) {
      let asked = hangUps.length > 0;
      hangUps.push(onHangUp);
      const isLive = (): Promise<boolean> => {
        if (asked) return live();
        asked = true;
        return firstAnswer();
      };
      const repositoryIndex = () => Promise.resolve([]);
      return { isLive, repositoryIndex, close: () => Promise.resolve() } as unknown as EngineClient;
    },
    onConfigFault: (reason) => void losses.push(`config: ${reason}`),
  });
  return { sentinel, link, losses, hangUps, answers: () => answers };
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('an engine whose answer is unreadable is replaced, and its successor is asked, too', async () => {
  const { sentinel, link, losses, answers } = supervise(() => Promise.reject(new TypeError('no boolean')));
  sentinel.start();
  await until(() => answers() > 1);
  expect(losses).toEqual(['silence: an unreadable answer: TypeError: no boolean']);
  expect(link.whyDown()).toBeNull();
  await sentinel.stop();
}, 30_000);

test('an answer that comes while the supervisor stands still is read before the engine is judged', async () => {
  // The answer is there after 1.5 s, in all of which the supervisor stands still; the limit is 1 s.
  const { sentinel, losses, answers } = supervise(() => {
    const answer = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 1_500));
    for (const end = Date.now() + 1_600; Date.now() < end;);
    return answer;
  });
  sentinel.start();
  await until(() => answers() > 1 || losses.length > 0);
  expect(losses).toEqual([]);
  await sentinel.stop();
}, 30_000);

test('an engine that hangs up is replaced at once, though its process runs on; it is ended and reported', async () => {
  const { sentinel, link, losses, hangUps } = supervise(() => Promise.resolve(true));
  sentinel.start();
  await until(() => link.current() !== null);
  const before = readdirSync(incidentFolder).length;
  hangUps[0]!('the engine hung up');
  expect(losses).toEqual(['death: the engine hung up']);
  expect(link.whyDown()).toBe('the engine ended (the engine hung up)');
  await until(() => link.current() !== null);
  await until(() => readdirSync(incidentFolder).length > before);
  await sentinel.stop();
}, 30_000);

test('an engine is replaced also where a cleaner of temporary files has removed its folder', async () => {
  const { sentinel, link, hangUps } = supervise(() => Promise.resolve(true));
  sentinel.start();
  await until(() => link.current() !== null);
  const folder = dirname(link.address()!.slice('unix:'.length));
  rmSync(dirname(folder), { recursive: true });
  hangUps[0]!('the engine hung up');
  await until(() => link.current() !== null);
  await sentinel.stop();
}, 30_000);
