import { projectPath } from '#schemas/project-root';
import type { EngineClient } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { EngineLink } from './engine-link';
import { EngineProcess } from './engine-process';
import { workerEvents } from './events';

const telemetry = createTelemetry({ service: 'engine-process-test', logLevel: 'silent' });
const events = workerEvents(telemetry);

/** A process that says that it is ready, asked by clients of which the first answers as given. */
function supervise(firstAnswer: () => Promise<boolean>) {
  const link = new EngineLink();
  const losses: string[] = [];
  let answers = 0;
  let clients = 0;
  const live = (): Promise<boolean> => Promise.resolve(++answers > 0);
  const engine = new EngineProcess({
    mainFile: projectPath('test', 'fixtures', 'engine-says-ready.js'),
    env: process.env,
    readyTimeoutMs: 30_000,
    logger: telemetry.logger,
    events: { ...events, EngineLost: ({ reason }) => void losses.push(reason) },
    link,
    connect() {
      let asked = clients++ > 0;
      const isLive = (): Promise<boolean> => {
        if (asked) return live();
        asked = true;
        return firstAnswer();
      };
      return { isLive, close: () => Promise.resolve() } as unknown as EngineClient;
    },
  });
  return { engine, link, losses, answers: () => answers };
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('an engine whose answer is unreadable is replaced, and its successor is asked, too', async () => {
  const { engine, link, losses, answers } = supervise(() => Promise.reject(new TypeError('no boolean')));
  engine.start();
  await until(() => answers() > 1);
  expect(losses).toEqual(['SIGKILL']);
  expect(link.whyDown()).toBeNull();
  await engine.stop();
}, 30_000);

test('an answer that comes while the supervisor stands still is read before the engine is judged', async () => {
  // The answer is there after 1.5 s, in all of which the supervisor stands still; the limit is 1 s.
  const { engine, losses, answers } = supervise(() => {
    const answer = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 1_500));
    for (const end = Date.now() + 1_600; Date.now() < end;);
    return answer;
  });
  engine.start();
  await until(() => answers() > 1 || losses.length > 0);
  expect(losses).toEqual([]);
  await engine.stop();
}, 30_000);
