import { setTimeout as sleep } from 'node:timers/promises';
import { withAdmin } from '#lib/bus/kafka-client';
import { serviceProcess } from '#launcher/service-process';
import { check, equal, timing, type Check, type Drill, type DrillContext } from '../drill';
import { scrape, total } from '../metrics';
import { allDecided, readOutcomes } from '../rounds/decided';
import { senderTo, solvesAgain, underLoad } from '../rounds/under-load';
import { standing, verdictOf } from '../rounds/verdict';
import type { Stand } from '../stand/stand';

const group = 'inference-worker';

async function committed(stand: Stand): Promise<Map<number, number>> {
  const [found] = await withAdmin(stand.kafka(), (admin) =>
    admin.fetchOffsets({ groupId: group, topics: [stand.topics.shards] }),
  );
  return new Map(found!.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
}

/** Looks at the committed offsets until told to stop: none may go back. */
function watchCommits(stand: Stand): { stop(): Promise<number> } {
  let isStopped = false;
  let wentBack = 0;
  const watching = (async () => {
    let last = await committed(stand);
    while (!isStopped) {
      await sleep(100);
      const now = await committed(stand).catch(() => last);
      for (const [partition, offset] of now) if (offset < (last.get(partition) ?? -1)) wentBack += 1;
      last = now;
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      return wentBack;
    },
  };
}

/** A second worker of the stand's, which is not among its processes. */
function anotherWorker(stand: Stand, name: string) {
  const { kafkaBrokers, redisUrl } = stand.servers;
  return serviceProcess({
    name,
    kind: 'worker',
    logs: stand.pipeline.logs,
    ports: {},
    env: {
      ...process.env,
      ...stand.env,
      KAFKA_BROKERS: kafkaBrokers,
      REDIS_URL: redisUrl,
      ROUNDHOUSE_BIND_HOST: '127.0.0.1',
      ROUNDHOUSE_STATE_DIR: `${stand.pipeline.runFolder}/state-${name}`,
    },
    readyTimeoutMs: 60_000,
    restarts: false,
  });
}

async function workerAdded({ stand }: DrillContext): Promise<Check[]> {
  const commits = watchCommits(stand);
  const worker = anotherWorker(stand, 'added');
  await worker.start();
  await sleep(2_000);
  await worker.stop();
  await sleep(500);
  return [equal('commits that went back', 0, await commits.stop())];
}

/** Consumers of the workers' group that come, take partitions, do nothing and leave. */
async function storm({ stand, of }: DrillContext): Promise<Check[]> {
  const commits = watchCommits(stand);
  const times = of(15, 5);
  for (let i = 0; i < times; i++) {
    const guest = stand.bus.windowedConsumer({
      groupId: group,
      topics: [stand.topics.shards],
      window: 4,
      drainMs: 1,
      handle: () => new Promise<void>(() => undefined),
    });
    await guest.start();
    await sleep(150);
    await guest.stop();
  }
  const again = await solvesAgain(stand);
  return [
    check('joined and left', String(times), times, true),
    equal('commits that went back', 0, await commits.stop()),
    timing('a round solved whole after the last', 10_000, again),
  ];
}

/** Everything but the newest record of each partition is deleted, also what the group has not read yet. */
async function deleteMost(stand: Stand, topic: string): Promise<number> {
  return withAdmin(stand.kafka(), async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets
      .filter(({ high, low }) => Number(high) > Number(low))
      .map(({ partition, high }) => ({ partition, offset: String(Math.max(0, Number(high) - 1)) }));
    if (partitions.length > 0) await admin.deleteTopicRecords({ topic, partitions });
    return partitions.length;
  });
}

async function outOfRange({ stand }: DrillContext): Promise<Check[]> {
  const late = async () =>
    total(await scrape(stand.url('worker', '/metrics')), 'dispatch_shards_finished_total', 'status="late"');
  await stand.kill('worker');
  await stand.kill('aggregator');
  const sender = senderTo(stand, 'out-of-range');
  for (let i = 0; i < 40; i++) await sender.send(3_000);
  const deleted = await deleteMost(stand, stand.topics.shards);
  await sleep(3_500);
  await stand.restart('aggregator');
  await stand.restart('worker');
  const again = await solvesAgain(stand);
  const published = await allDecided(stand, sender.runId, sender.accepted);
  const outcomes = await readOutcomes(stand.bus, stand.topics, sender.runId);
  const verdict = verdictOf(sender.rounds, published);
  return [
    check('partitions whose committed offset is gone', '≥ 1', deleted, deleted > 0),
    check('expired shards skipped and counted', '≥ 1', await late(), (await late()) > 0),
    equal(
      'of them solved as if they were fresh',
      0,
      outcomes.filter(({ outcome }) => outcome.status === 'solved').length,
    ),
    equal('overdue rounds closed and marked', verdict.accepted, verdict.marked),
    timing('a fresh round solved whole after', 20_000, again),
    ...standing(verdict),
  ];
}

/** From a shard on its topic to the backend's begin with it, after a time without any message. */
async function idleTopic({ stand, of }: DrillContext): Promise<Check[]> {
  const sender = senderTo(stand, 'idle');
  const [times, pauseMs] = of([10, 5_000], [3, 1_000]);
  for (let i = 0; i < times!; i++) {
    await sleep(pauseMs!);
    await sender.dispatch(5_000);
  }
  const shards = new Map<string, number>();
  await stand.bus.readRange({
    topic: stand.topics.shards,
    from: 'earliest',
    handle: ({ key, timestamp }) => void shards.set(key!.toString(), timestamp),
  });
  const outcomes = await readOutcomes(stand.bus, stand.topics, sender.runId);
  const waits = outcomes.map(({ outcome: o, startedAt }) => {
    const key = [o.tenantId, o.runId, o.roundId, o.shardIndex].join('\u001f');
    return startedAt - (shards.get(key) ?? NaN);
  });
  return [
    check('shards begun', `${times}`, waits.length, waits.length >= times!),
    timing('the slowest was begun after', 200, Math.max(...waits)),
  ];
}

export const consumerDrills: readonly Drill[] = [
  {
    name: 'worker-added',
    row: '2',
    fault: 'a worker comes and goes in the middle of 20 rounds/s',
    expected: 'one outcome used a shard; no commit goes back',
    inQuick: false,
    run: (context) => underLoad(context, 'worker-added', { everyMs: 50 }, () => workerAdded(context)),
  },
  {
    name: 'offsets-out-of-range',
    row: '3',
    fault: 'worker and aggregator down over 40 deadlines; shards deleted beyond the committed offset',
    expected:
      'expired shards skipped and counted; overdue rounds closed and marked, none as if it were fresh',
    alerts: ['RoundhouseServiceDown', 'RoundhouseShardsLate'],
    console: { where: /worker|aggregator/, words: /ended without a word|does not answer/ },
    inQuick: false,
    run: outOfRange,
  },
  {
    name: 'idle-topic',
    row: '4',
    fault: 'one round after 5 s without any, ten times',
    expected: 'its shard is begun in under 200 ms',
    inQuick: false,
    run: idleTopic,
  },
  {
    name: 'rebalance-storm',
    row: 'rebalance storm',
    fault:
      'fifteen guests join the workers’ group one after the other, take partitions, do nothing, and leave (five in CI)',
    expected: 'no commit goes back, nothing lost or used twice',
    alerts: ['RoundhouseRebalanceStorm'],
    console: { where: /inference-worker/, words: /shared out anew/ },
    inQuick: false,
    run: (context) => underLoad(context, 'storm', { deadlineMs: 15_000 }, () => storm(context)),
  },
];
