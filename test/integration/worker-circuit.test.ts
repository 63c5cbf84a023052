import type { RoundId, UnixMs } from '#schemas/brands';
import { makeShard } from '../support/make-shard';
import { until } from '../support/until';
import { killUntilGivenUp, readyz, startWorkerBench } from './worker-bench';

jest.setTimeout(120_000);

test('a worker whose engines keep ending hands its partitions to another one, and takes part again afterwards', async () => {
  const env = { ROUNDHOUSE_ENGINE_CIRCUIT_PAUSE_MS: '3000', ROUNDHOUSE_LOG_LEVEL: 'info' };
  const bench = await startWorkerBench('worker-circuit', { counts: { worker: 2 }, env, restarts: false });
  const { pipeline } = bench;
  const shard = makeShard();
  expect((await killUntilGivenUp(pipeline)).status).toBe(503);
  // More than one for each partition, far from their deadlines: none waits for the first worker.
  const send = (i: number, roundId: string) =>
    bench.send(shard, i, { roundId: roundId as RoundId, deadline: (Date.now() + 60_000) as UnixMs });
  for (let i = 0; i < 40; i++) await send(i, 'first');
  const solved = (roundId: string): number => {
    const outcomes = bench.outcomes.filter(({ outcome }) => outcome.roundId === roundId);
    return new Set(outcomes.map(({ outcome }) => outcome.shardIndex)).size;
  };
  await until(() => solved('first') === 40, 'all 40, from the second worker');
  // Some twice, where both had them; none failed.
  expect(new Set(bench.outcomes.map(({ outcome }) => outcome.status))).toEqual(new Set(['solved']));

  await until(async () => (await readyz(pipeline)).status === 200, 'ready again');
  // The second worker ends in order; the first one has the group for itself.
  pipeline.signal('worker-2', 'SIGTERM');
  for (let i = 0; i < 40; i++) await send(i, 'again');
  await until(() => solved('again') === 40, 'all 40, from the first worker');
  await bench.stop();
});
