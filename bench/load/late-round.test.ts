import { newTrace } from '../pipeline/decision-log';
import { lateRoundOf } from './late-round';

test('a late round tells what it had left at every step', () => {
  const trace = {
    ...newTrace(0, 1_000),
    receivedAt: 10,
    manifestAt: 120,
    closedAt: 990,
    sentAt: 1_005,
    decidedAt: 1_040,
    closedBy: 'complete' as const,
    ingest: { read: 4 },
  };
  const shard = { backend: null, outcomeBytes: 9 };
  trace.shards.set(0, { ...shard, appendedAt: 100, answeredAt: 700 });
  trace.shards.set(1, { ...shard, appendedAt: 110, answeredAt: 650 });
  expect(lateRoundOf(trace)).toEqual({
    submitted: 1_000,
    received: 990,
    shards: 890,
    manifest: 880,
    outcomes: 300,
    closed: 10,
    sent: -5,
    decided: -40,
    closedBy: 'complete',
    outage: null,
    ingestMs: { read: 4 },
    aggregatorMs: {},
  });
  // A shard that nobody answered has no time.
  trace.shards.set(2, { ...shard, appendedAt: 110, answeredAt: Number.NaN });
  expect(lateRoundOf(trace)).toMatchObject({ outcomes: null, shards: 890 });
});
