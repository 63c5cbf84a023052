import { createTelemetry, defineEvents, event } from './telemetry';

function tracker() {
  const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  const events = defineEvents(telemetry, {
    ShardSolved: event<{ model: string; status: string; seconds: number; roundId: string }>({
      level: 'info',
      labels: { model: 3, status: ['solved', 'late'] },
      counter: { name: 'dispatch_test_total', help: 'test' },
      histogram: {
        name: 'dispatch_test_seconds',
        help: 'test',
        buckets: [1, 2],
        value: ({ seconds }) => seconds,
      },
    }),
  });
  return { telemetry, events };
}

test('an event writes its metrics with labels by field name', async () => {
  const { telemetry, events } = tracker();
  events.ShardSolved({ model: 'a', status: 'solved', seconds: 1.5, roundId: 'r1' });
  const text = await telemetry.registry.metrics();
  expect(text).toContain('dispatch_test_total{model="a",status="solved",service="test"} 1');
  expect(text).toContain('dispatch_test_seconds_bucket{le="2",model="a",status="solved",service="test"} 1');
});

test('a scrape has the same lines after 1,000 and after 100,000 events with as many ids', async () => {
  const { telemetry, events } = tracker();
  const linesAfter = async (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      events.ShardSolved({ model: `model-${i}`, status: `status-${i}`, seconds: 1, roundId: `round-${i}` });
    }
    const text = await telemetry.registry.metrics();
    return text.match(/^dispatch_test_\w+\{.*\}/gm)!;
  };
  const lines = await linesAfter(0, 1_000);
  expect(await linesAfter(1_000, 100_000)).toEqual(lines);
  // Three models by name and `other`; every status is `other`: 4 series.
  expect(lines.filter((line) => line.startsWith('dispatch_test_total{'))).toHaveLength(4);
});
