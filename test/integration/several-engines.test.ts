import type { UnixMs } from '#schemas/brands';
import type { PlacedAnswer, PlacedWork } from '#services/inference-worker/placement/placement';
import type { SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';
import { startWorkerEngines, type WorkerEngines } from '../../bench/stagger/worker-engines';
import { stopProcess } from '../support/stop-process';
import { until } from '../support/until';
import { faultEnv, faultRequest, makeFaultModels, type FaultModels } from './fault-models';

jest.setTimeout(120_000);

const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;
let models: FaultModels;
let worker: WorkerEngines;

beforeAll(() => {
  models = makeFaultModels();
});
afterEach(() => worker.stop());
afterAll(() => models.remove());

async function start(scheduler: SchedulerName, engines = 'cpu;cpu'): Promise<void> {
  worker = await startWorkerEngines({
    ...faultEnv,
    ROUNDHOUSE_MODELS_DIR: models.folder,
    ROUNDHOUSE_ENGINES: engines,
    ROUNDHOUSE_SCHEDULER: scheduler,
  });
}

function work(requestId: string, parameters: Record<string, number> = {}): PlacedWork {
  const request = { ...faultRequest(parameters), requestId };
  return { request, size: 100, bytesIn: 3, bytesOut: 3, failedOn: new Set() };
}

const ask = (...[requestId, parameters]: Parameters<typeof work>): Promise<PlacedAnswer> =>
  worker.placement.infer(work(requestId, parameters), inMs(60_000));

test.each(['fifo', 'staggered'] as const)(
  '%s uses both engines when there is enough to do',
  async (scheduler) => {
    await start(scheduler);
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => ask(`r${i}`, { delay_ms: 50 })));
    expect(new Set(answers.map(({ engine }) => engine))).toEqual(new Set(['cpu:0#1', 'cpu:1#1']));
    expect(worker.placement.figures()).toMatchObject({ waiting: 0, inFlight: 0, started: 24, poolBytes: 0 });
  },
);

test('what a killed engine had is lost with its name, the others go on, and its successor takes part again', async () => {
  await start('fifo');
  // The one that was up first is asked first.
  const [[name, first], [other]] = [...worker.pids] as [[string, number], [string, number]];
  await stopProcess(first);
  const lost = [work('a'), work('b')];
  const answers = lost.map((each) => worker.placement.infer(each, inMs(60_000)));
  const ends = Promise.allSettled(answers);
  process.kill(first, 'SIGKILL');
  // One of two went to each.
  const [a, b] = await ends;
  expect(a).toMatchObject({ status: 'rejected', reason: { code: 'ENGINE_LOST' } });
  expect(b).toMatchObject({ status: 'fulfilled', value: { engine: `${other}#1` } });
  expect([...lost[0]!.failedOn]).toEqual([`${name}#1`]);
  expect((await worker.placement.infer(lost[0]!, inMs(60_000))).response.outputs[0]!.name).toBe('OUT');
  await until(() => worker.pids.get(name) !== first, 'a successor');
  const again = await Promise.all([ask('c', { delay_ms: 50 }), ask('d', { delay_ms: 50 })]);
  expect(again.map(({ engine }) => engine).sort()).toEqual([`${name}#2`, `${other}#1`].sort());
});

test('a model operation that one engine has carried out is done by the other before it counts as done', async () => {
  await start('fifo');
  const { engines } = worker;
  await engines.current()!.unloadModel('fault_injection');
  await engines.models.note({ kind: 'unload', model: 'fault_injection' });
  for (const { link } of engines.all) {
    expect(await link.current()!.isModelReady('fault_injection')).toBe(false);
  }
  await engines.current()!.loadModel('fault_injection');
  await engines.models.note({ kind: 'load', model: 'fault_injection' });
  const answers = await Promise.all([ask('a', { delay_ms: 50 }), ask('b', { delay_ms: 50 })]);
  expect(answers.map(({ engine }) => engine).sort()).toEqual(['cpu:0#1', 'cpu:1#1']);
});

test('a scheduler learns how many requests of a model an engine runs side by side', async () => {
  await start('staggered', 'cpu');
  // Four instances: with one at a time 40 requests of 25 ms would take a second, with four 250 ms.
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => ask(`warm-${i}`, { delay_ms: 25 })));
  }
  expect(worker.placement.expectedFinishMs(work('x'))!).toBeLessThan(200);
  expect(worker.placement.load()).toMatchObject({
    waiting: 0,
    inFlight: 0,
    devices: [{ id: 'cpu', ready: true }],
  });
});
