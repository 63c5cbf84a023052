import type { WorkerEvents } from '../events';
import { meanErrors, SchedulingWatch } from './scheduling-watch';

const row = (bucket: number, observations: number, meanError: number, meanBias: number) => ({
  model: 'm',
  bucket,
  deviceId: 'gpu:0',
  phase: 'or',
  observations,
  msPerUnit: 1,
  meanError,
  meanBias,
});

test('errors of all sizes of a model count by what was seen of each', () => {
  // (30 · 0.1 + 10 · 0.5) / 40 = 0.2; (30 · 0.1 − 10 · 0.5) / 40 = −0.05
  const [mean, ...others] = meanErrors([row(4, 30, 0.1, 0.1), row(8, 10, 0.5, -0.5)]);
  expect(others).toEqual([]);
  expect(mean).toMatchObject({ model: 'm', deviceId: 'gpu:0', phase: 'or', observations: 40 });
  expect([mean!.meanError, mean!.meanBias].map((value) => value.toFixed(3))).toEqual(['0.200', '-0.050']);
});

test('counters grow by what was decided since the last look', () => {
  const seen: unknown[] = [];
  const recording = new Proxy({}, { get: (_, name) => (fields: object) => seen.push({ name, ...fields }) });
  const figures = { waiting: 3, inFlight: 2, poolBytes: 8, poolPeakBytes: 9, arenaPeakBytes: { 'gpu:0': 7 } };
  let started = 5;
  const scheduled = { figures: () => ({ ...figures, started, late: 1, unfit: 0 }), errors: () => [] };
  const watch = new SchedulingWatch(scheduled, recording as WorkerEvents);
  watch.look();
  started = 9;
  watch.look();
  watch.close();
  const counted = seen.filter((event) => (event as { name: string }).name === 'SchedulerCounted');
  expect(counted).toEqual([
    { name: 'SchedulerCounted', decision: 'started', shards: 5 },
    { name: 'SchedulerCounted', decision: 'late', shards: 1 },
    { name: 'SchedulerCounted', decision: 'started', shards: 4 },
  ]);
  expect(seen).toContainEqual({ name: 'ArenaPeaked', engine: 'gpu:0', bytes: 7 });
});
