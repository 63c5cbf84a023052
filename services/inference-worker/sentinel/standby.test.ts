import type { EngineClient, InferRequest } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { workerEvents } from '../events';
import { Samples } from './samples';
import { Standby, warmUp } from './standby';
import { WantedModels } from './wanted-models';
import type { WatchedEngine } from './watched-engine';

const events = workerEvents(createTelemetry({ service: 'standby-test', logLevel: 'silent' }));

/** An engine that answers no request until it is given up, and carries out a load when `loads` are let go. */
function engineThatHangs() {
  const calls: string[] = [];
  let letLoadsGo = (): void => undefined;
  const loads = new Promise<void>((resolve) => (letLoadsGo = resolve));
  let begun = (): void => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  const infer: EngineClient['infer'] = ({ model }, _deadline, signal) => {
    calls.push(`infer ${model}`);
    begun();
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('given up')));
    });
  };
  const loadModel = async (model: string): Promise<void> => {
    await loads;
    calls.push(`load ${model}`);
  };
  const client = { infer, loadModel, repositoryIndex: () => Promise.resolve([]) };
  const engine = { client, isLost: false, stop: () => Promise.resolve(), models: [] };
  return { engine: engine as unknown as WatchedEngine, calls, running, letLoadsGo };
}

function standbyOf(engine: WatchedEngine, models: readonly string[]) {
  const samples = new Samples();
  for (const model of models)
    samples.keep({ model, version: '', requestId: 'r', inputs: [] } as InferRequest);
  const wanted = new WantedModels();
  const operationTimeoutMs = 60_000;
  const options = { wanted, samples, operationTimeoutMs, events };
  const standby = new Standby({ ...options, launch: () => engine, hasRoom: () => true });
  return { standby, wanted };
}

async function untilHeld(standby: Standby, engine: WatchedEngine): Promise<void> {
  standby.startLater(0);
  while (!standby.holds(engine)) await new Promise((resolve) => setImmediate(resolve));
}

test('an engine that is needed is not kept by dry runs: the one under way ends, the others are left out', async () => {
  const { engine, calls, running } = engineThatHangs();
  const { standby } = standbyOf(engine, ['slow', 'next']);
  await untilHeld(standby, engine);
  standby.onReady(engine);
  await running;
  expect(standby.isWarm).toBe(false);
  const taken = standby.take()!;
  await taken.settled;
  expect(calls).toEqual(['infer slow']);
});

// Guards against a gauge that was absent, so that no alert told of a standby that there never was.
test('one that finds no room is told as missing; none that nobody wanted is', async () => {
  const told: boolean[] = [];
  const telling = { ...events, StandbyChanged: ({ ready }: { ready: boolean }) => void told.push(ready) };
  const wanted = new WantedModels();
  const options = { wanted, samples: new Samples(), operationTimeoutMs: 20, events: telling };
  const launch = () => engineThatHangs().engine;
  const unwanted = new Standby({ ...options, launch, hasRoom: () => true });
  await unwanted.rest();
  expect(told).toEqual([]);
  const standby = new Standby({ ...options, launch, hasRoom: () => false });
  standby.startLater(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([told, standby.isWarm]).toEqual([[false], false]);
  await standby.stop();
  await unwanted.stop();
});

test('a model operation is waited for', async () => {
  const { engine, calls, letLoadsGo } = engineThatHangs();
  const { standby, wanted } = standbyOf(engine, []);
  void wanted.note({ kind: 'load', model: 'new' });
  await untilHeld(standby, engine);
  standby.onReady(engine);
  const { settled } = standby.take()!;
  expect(calls).toEqual([]);
  letLoadsGo();
  await settled;
  expect(calls).toEqual(['load new']);
});

test('a load that never ends keeps an engine from serving no longer than it may take', async () => {
  const { engine } = engineThatHangs();
  const wanted = new WantedModels();
  void wanted.note({ kind: 'load', model: 'new' });
  const lost: object[] = [];
  const telling = { ...events, ModelOperationLost: (fields: object) => void lost.push(fields) };
  await warmUp(engine, { wanted, samples: [], operationTimeoutMs: 20, events: telling });
  expect(lost).toEqual([{ kind: 'load', model: 'new', reason: 'Error: not done in 20 ms' }]);
});
