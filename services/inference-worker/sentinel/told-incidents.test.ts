import { createTelemetry } from '#lib/telemetry';
import { workerEvents } from '../events';
import { withIncidentsTold } from './told-incidents';

const lost = { kind: 'death', reason: 'the engine hung up', restartInMs: 500 } as const;
const incident = {
  ...({ kind: 'death', role: 'active', reason: 'the engine hung up', end: 'SIGKILL' } as const),
  ...{ file: '/r/1.json', fault: '', enginePid: 7 },
};
const activated = (downSeconds: number) => ({ enginePid: 8, device: 'cpu', downSeconds });

let lines: string[];
let told: ReturnType<typeof withIncidentsTold>;
beforeEach(() => {
  lines = [];
  const telemetry = createTelemetry({ service: 'inference-worker', logLevel: 'silent' });
  told = withIncidentsTold(workerEvents(telemetry), (line) => lines.push(line));
});
const report = (reaction: string) =>
  told.IncidentReported({ ...incident, reaction } as Parameters<typeof told.IncidentReported>[0]);

test('the engine in the place of a lost one is told once it serves, the first one of all is not', () => {
  told.EngineActivated(activated(4));
  told.EngineLost(lost);
  report('restart');
  told.EngineActivated(activated(3.21));
  told.EngineActivated(activated(0));
  expect(lines).toEqual([
    expect.stringContaining('another one is started'),
    'an engine serves again, 3.2 s later (process 8)',
  ]);
});

test('a standby serves before the loss is told, which says so', () => {
  told.EngineActivated(activated(0));
  told.EngineLost({ ...lost, restartInMs: 0 });
  report('standby_took_over');
  told.EngineActivated(activated(0));
  expect(lines).toEqual([expect.stringContaining('its standby takes over')]);
});

test('behind a circuit that closes there is one line', () => {
  told.EngineLost(lost);
  told.CircuitChanged({ state: 'open', reason: 'the engine hung up', strikes: 3, trialInMs: 1_000 });
  told.CircuitChanged({ state: 'closed', reason: '', strikes: 0, trialInMs: 0 });
  told.EngineActivated(activated(9));
  expect(lines).toEqual(['an engine stays up again: its partitions are taken back']);
});
