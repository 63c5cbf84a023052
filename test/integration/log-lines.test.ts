import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import type { RoundId, RunId, UnixMs } from '#schemas/brands';
import { RoundhouseClient } from '../../client';
import { buildCourier, buildOrder, buildRound } from '../support/build-round';
import { startStack } from '../support/stack';

let pipeline: Pipeline;
beforeAll(async () => {
  const { kafkaBrokers, redisUrl, topicPrefix } = startStack('log-lines');
  const env = { ROUNDHOUSE_LOG_LEVEL: 'trace', ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '2000' };
  pipeline = await startPipeline({ inheritedEnv: process.env, kafkaBrokers, redisUrl, topicPrefix, env });
}, 120_000);
afterAll(() => pipeline?.stop(), 60_000);

type Line = Readonly<Record<string, unknown>>;

/** Every line that a service has written, each of which is JSON. */
function linesOf(service: string): Line[] {
  const text = readFileSync(join(pipeline.logs, `${service}.log`), 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

async function lineOf(service: string, event: string): Promise<Line> {
  for (const giveUpAt = Date.now() + 30_000; Date.now() < giveUpAt; await sleep(50)) {
    const found = linesOf(service).find((line) => line['event'] === event);
    if (found !== undefined) return found;
  }
  throw new Error(`no ${event} in the log of ${service}`);
}

test('the lines of a round name it: run and round at the aggregator, the shard too at the worker', async () => {
  const ids = { runId: 'run-of-lines' as RunId, roundId: 'round-of-lines' as RoundId };
  const [couriers, orders] = [[buildCourier('k')], [buildOrder('o')]];
  const deadline = (Date.now() + 60_000) as UnixMs;
  const client = new RoundhouseClient({ url: pipeline.ingestUrl });
  await client.dispatch(buildRound({ ...ids, deadline, couriers, orders }));
  const closed = { closedBy: 'complete', coverage: 1, outage: 'none', level: 'info', service: 'aggregator' };
  expect(await lineOf('aggregator', 'RoundClosed')).toMatchObject({ ...ids, ...closed });
  expect(await lineOf('aggregator', 'RoundOpened')).toMatchObject({ ...ids, shards: 1 });
  expect(await lineOf('aggregator', 'OutcomeReceived')).toMatchObject({ ...ids, shardIndex: 0 });
  expect(await lineOf('worker', 'ShardFinished')).toMatchObject({ ...ids, shardIndex: 0, status: 'solved' });
  for (const service of ['ingest', 'worker', 'aggregator']) {
    for (const line of linesOf(service)) expect(line).toMatchObject({ level: expect.any(String) as string });
  }
}, 60_000);
