import type { RoundId, ShardIndex, UnixMs } from '#schemas/brands';
import { shardsCodec } from '#schemas/codec';
import { PLAN_RECORD_BYTES } from '#schemas/tensors';
import { headers, shardKey } from '#schemas/topics';
import { loadModelRepository } from '#lib/model-repository';
import { projectPath } from '#schemas/project-root';
import { cutRound } from '../../policy/sharding/cut-round';
import { buildCourier, buildOrder, buildRound } from '../support/build-round';
import { makeShard } from '../support/make-shard';
import { processOf } from '../support/running-process';
import { until } from '../support/until';
import { startWorkerBench, type WorkerBench } from './worker-bench';

jest.setTimeout(120_000);

/** Room for a failed outcome and for a small solved one, not for the 32-byte plans of `makeShard`. */
const outcomeBytes = 2_000;

let bench: WorkerBench;
let pid: number | null;
beforeAll(async () => {
  bench = await startWorkerBench('worker-large', { outcomeBytes, restarts: false });
  pid = processOf(bench.pipeline, 'worker').pid;
});
beforeEach(() => {
  bench.outcomes.length = 0;
  bench.letters.length = 0;
});
afterAll(() => bench?.stop());

/** One courier, one order: two rows. */
function smallShard() {
  const models = loadModelRepository(projectPath('models')).refsOf('stable');
  const round = buildRound({ couriers: [buildCourier('c')], orders: [buildOrder('o')] });
  return cutRound(round, models, {}).shards[0]!;
}

async function expectNextSolved(): Promise<void> {
  await bench.send(smallShard(), 1, { roundId: 'next' as RoundId });
  const next = () => bench.outcomes.find(({ outcome }) => outcome.roundId === 'next')?.outcome;
  await until(() => next() !== undefined, 'the next outcome');
  expect(next()!.status).toBe('solved');
  expect(processOf(bench.pipeline, 'worker').pid).toBe(pid);
}

test('an outcome that Kafka refuses for its size is published as failed, with a letter; the worker goes on', async () => {
  const shard = makeShard();
  expect(shard.candidateCount * PLAN_RECORD_BYTES).toBeGreaterThan(outcomeBytes);
  await bench.send(shard, 0);
  await until(() => bench.outcomes.length === 1, 'the failed outcome');
  expect(bench.outcomes[0]!.outcome).toMatchObject({
    ...{ roundId: shard.roundId, shardIndex: 0, candidateCount: shard.candidateCount },
    ...{ status: 'failed', errorCode: 'ROUND_TOO_LARGE', models: [shard.model] },
  });
  expect(bench.outcomes[0]!.message.headers[headers.traceparent]).toBe('00-1');
  await until(() => bench.letters.length === 1, 'the letter');
  const [letter] = bench.letters;
  expect(letter!.headers[headers.deadLetterCode]).toBe('ROUND_TOO_LARGE');
  expect(letter!.headers[headers.deadLetterReason]).toMatch(
    /^its outcome is too large: a message of \d+ bytes .*ROUNDHOUSE_MAX_MESSAGE_BYTES.*max\.message\.bytes/,
  );
  expect(shardsCodec.decode(letter!.value!).shardIndex).toBe(0);
  expect(letter!.timestamp).toBeLessThanOrEqual(bench.outcomes[0]!.message.timestamp);
  await expectNextSolved();
});

test('where not even the failed outcome fits, the letter is all there is of it', async () => {
  // 1,500 characters stand in the key and in the value: 3,000 bytes in any outcome.
  const shard = { ...makeShard(), roundId: 'r'.repeat(1_500) as RoundId };
  await bench.send(shard, 0);
  await bench.send(shard, 1, { deadline: (Date.now() - 1) as UnixMs });
  const key = shardKey({ ...shard, shardIndex: 2 as ShardIndex });
  await bench.sendRaw(key, Buffer.from('not avro'));
  await until(() => bench.letters.length === 3, 'the letters');
  const codes = bench.letters.map((letter) => letter.headers[headers.deadLetterCode]);
  expect(codes.sort()).toEqual(['PAYLOAD_INVALID', 'ROUND_TOO_LARGE', 'ROUND_TOO_LARGE']);
  await expectNextSolved();
  expect(bench.outcomes).toHaveLength(1);
});

test('a trace state that makes an outcome too large is left behind', async () => {
  const shard = { ...smallShard(), roundId: 'traced' as RoundId, deadline: (Date.now() + 20_000) as UnixMs };
  await bench.sendRaw(shardKey(shard), shardsCodec.encode(shard), { tracestate: 'v='.padEnd(2_000, 'x') });
  await until(() => bench.outcomes.length === 1, 'the outcome');
  expect(bench.outcomes[0]!.outcome).toMatchObject({ status: 'failed', errorCode: 'ROUND_TOO_LARGE' });
  await expectNextSolved();
});
