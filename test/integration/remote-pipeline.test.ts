import type { UnixMs } from '#schemas/brands';
import { makeShard } from '../support/make-shard';
import { until } from '../support/until';
import { killUntilGivenUp, startWorkerBench, workerUrl } from './worker-bench';

jest.setTimeout(120_000);

test('a worker whose engines keep ending keeps its partitions, and its shards are solved by the engine of another one', async () => {
  const env = { ROUNDHOUSE_REMOTE_ENGINES: 'redis', ROUNDHOUSE_ENGINE_CIRCUIT_PAUSE_MS: '60000' };
  const bench = await startWorkerBench('remote-pipeline', { counts: { worker: 2 }, env, restarts: false });
  const { pipeline } = bench;
  await killUntilGivenUp(pipeline);
  const shard = makeShard();
  const deadline = () => (Date.now() + 60_000) as UnixMs;
  for (let i = 0; i < 40; i += 1) await bench.send(shard, i, { deadline: deadline() });
  await until(() => bench.outcomes.length >= 40, 'all 40');
  expect(new Set(bench.outcomes.map(({ outcome }) => outcome.status))).toEqual(new Set(['solved']));
  // Each has some of the partitions: what the first one had was solved by the second one's engine.
  const metrics = await (await fetch(workerUrl(pipeline, '/metrics'))).text();
  const solvedElsewhere = /^dispatch_remote_attempts_total\{.*end="good".*\} (\d+)$/m.exec(metrics)?.[1];
  expect(Number(solvedElsewhere)).toBeGreaterThan(0);
  await bench.stop();
});
