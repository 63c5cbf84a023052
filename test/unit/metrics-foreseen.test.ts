import { createTelemetry } from '#lib/telemetry';
import { attemptEnds } from '#services/inference-worker/remote/remote-events';
import { workerEvents } from '#services/inference-worker/events';

function dispatchSeries(body: string): string[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('dispatch_'))
    .map((line) => line.replace(/ \S+$/, ''));
}

// Eight series came late to a worker: what a scrape has must not hang on which of its engine's ends has come already.
test('what befalls an engine or a remote that is known brings no series of a counter', async () => {
  const telemetry = createTelemetry({ service: 'inference-worker', logLevel: 'silent' });
  const events = workerEvents(telemetry);
  events.EngineChosen({ engine: 'cpu' });
  events.RemoteFound({ name: 'far', address: 'a:1', kind: 'worker' });
  const known = async () => dispatchSeries((await telemetry.registry.scrape()).body);
  const before = await known();
  const engine = 'cpu';
  events.CircuitChanged({ engine, state: 'open', reason: '', strikes: 1, trialInMs: 1 });
  events.QueueMeasured({ engine, priority: 'low', waiting: 1 });
  events.CoreMeasured({ engine, requests: 1 });
  events.SessionsMeasured({ engine, memory: 'pinned', sessions: 1 });
  events.ArenaPeaked({ engine, bytes: 1 });
  events.DeviceWorked({ engine, phase: 'or', seconds: 1 });
  events.EngineLost({ engine, kind: 'death', reason: '', restartInMs: 1 });
  events.IncidentReported({
    ...{ engine, kind: 'death', role: 'active', reaction: '', reason: '', end: '', file: '', fault: '' },
  });
  expect(await known()).toEqual(before);
  const attempts = before.filter((series) => series.startsWith('dispatch_remote_attempts_total'));
  expect(attempts).toHaveLength(attemptEnds.length);
  for (const end of attemptEnds) expect(attempts.join()).toContain(`name="far",end="${end}"`);
});
