import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { check, equal, timing, type Check, type Drill, type DrillContext } from '../drill';
import { allDecided, type Published } from '../rounds/decided';
import { senderTo, solvesAgain, underLoad } from '../rounds/under-load';
import { standing, verdictOf } from '../rounds/verdict';
import type { Stand } from '../stand/stand';
import { until } from '../until';

interface Cut {
  readonly from: number;
  readonly to: number;
}

/** How far out of the order of deadlines decisions were closed: the pairs of neighbours that are the wrong way round. */
export function outOfOrder(closed: readonly Published[]): number {
  const byClose = [...closed].sort(
    (a, b) => a.closedAt - b.closedAt || a.decision.deadline - b.decision.deadline,
  );
  return byClose.filter(({ decision }, i) => i > 0 && decision.deadline < byClose[i - 1]!.decision.deadline)
    .length;
}

function cutChecks(firsts: readonly Published[], { from, to }: Cut): Check[] {
  const inside = firsts.filter(({ decision: { deadline } }) => deadline > from && deadline <= to);
  const outside = firsts.filter(({ decision: { deadline } }) => deadline <= from || deadline > to);
  const isLate = ({ decision, appendedAt }: Published) => appendedAt > decision.deadline;
  const late = inside.filter(isLate);
  const unmarked = late.filter(({ outage }) => outage === undefined).length;
  const first = Math.min(...late.map(({ closedAt }) => closedAt)) - to;
  const last = Math.max(...late.map(({ appendedAt }) => appendedAt)) - to;
  // What was due right behind the cut met it too, and is marked where it is late.
  const lateOutside = outside.filter((one) => isLate(one) && one.outage === undefined).length;
  return [
    check('deadlines inside the cut', '≥ 1', inside.length, inside.length > 0),
    check('of them late and marked', 'all', `${late.length - unmarked} of ${late.length}`, unmarked === 0),
    equal('out of the order of their deadlines', 0, outOfOrder(late)),
    timing('the first is closed after the end of the cut', 400, first),
    timing('the last is decided after the end of the cut', 10_000, last),
    equal('late outside the cut, without a mark', 0, lateOutside),
  ];
}

/** Nobody solves, so that deadlines close the rounds. */
async function redisCut({ stand, of, note }: DrillContext): Promise<Check[]> {
  const [count, cutMs, spreadMs] = of([1_000, 10_000, 30_000], [80, 2_500, 7_500]);
  await stand.kill('worker');
  const sender = senderTo(stand, 'redis-cut');
  const begin = Date.now() + of(25_000, 4_000);
  const deadlineOf = (i: number) => begin + Math.round((i * spreadMs!) / count!);
  for (let sent = 0; sent < count!; sent += 20) {
    const some = Array.from({ length: Math.min(20, count! - sent) }, (_, i) => deadlineOf(sent + i));
    await Promise.all(
      some.map((deadline) => sender.send(deadline - Date.now(), { zoneId: `z-${deadline}` as never })),
    );
  }
  note(`${sender.accepted.length} of ${count} accepted, ${begin - Date.now()} ms before the first deadline`);
  await sleep(Math.max(0, begin + spreadMs! / 3 - Date.now()));
  const cut = { from: Date.now(), to: 0 };
  await stand.servers.redisLine.set('cut');
  await sleep(cutMs!);
  await stand.servers.redisLine.set('open');
  cut.to = Date.now();
  await sleep(Math.max(0, begin + spreadMs! - Date.now()) + 1_000);
  const published = await allDecided(stand, sender.runId, sender.accepted);
  const firsts = [...published.values()].map(([first]) => first!);
  await stand.restart('worker');
  return [...cutChecks(firsts, cut), ...standing(verdictOf(sender.rounds, published))];
}

async function evictionPolicy({ stand }: DrillContext): Promise<Check[]> {
  const redis = new Redis(stand.servers.redisUrl);
  const policy = (name: string) => redis.config('SET', 'maxmemory-policy', name);
  const isReady = async (wanted: boolean) =>
    ((await stand.readiness('aggregator')).status === 200) === wanted;
  try {
    await policy('volatile-lru');
    const ms = await until(() => isReady(false), 'not ready');
    const { text } = await stand.readiness('aggregator');
    // Two scrapes, the rule's 1.5 s and an evaluation: 2 + 1.5 + 0.5 s, and half a second for a busy machine.
    await sleep(4_500);
    await policy('noeviction');
    const backMs = await until(() => isReady(true), 'ready again');
    return [
      timing('not ready after', 3_000, ms),
      check(
        'the reason names the policy',
        'volatile-lru',
        /volatile-lru/.test(text) ? 'volatile-lru' : text,
        /volatile-lru/.test(text),
      ),
      timing('ready again after', 3_000, backMs),
    ];
  } finally {
    redis.disconnect();
  }
}

type Line = 'kafkaLine' | 'redisLine';

function muted(line: Line, stand: Stand, ms: number): () => Promise<Check[]> {
  return async () => {
    await stand.servers[line].set('muted');
    await sleep(ms);
    await stand.servers[line].set('open');
    return [timing('a round solved whole after the end', 20_000, await solvesAgain(stand))];
  };
}

function slow(stand: Stand, delayMs: number, ms: number): () => Promise<Check[]> {
  return async () => {
    const { kafkaLine, redisLine } = stand.servers;
    for (const line of [kafkaLine, redisLine]) line.delay(delayMs);
    await sleep(ms);
    for (const line of [kafkaLine, redisLine]) line.delay(0);
    return [];
  };
}

/** It refuses every write: its memory is full. */
async function redisFull({ stand }: DrillContext): Promise<Check[]> {
  const redis = new Redis(stand.servers.redisUrl);
  try {
    await redis.config('SET', 'maxmemory', '1');
    const ms = await until(async () => (await stand.readiness('aggregator')).status !== 200, 'not ready');
    await sleep(4_000);
    await redis.config('SET', 'maxmemory', '0');
    const again = await solvesAgain(stand);
    return [
      timing('not ready after', 3_000, ms),
      timing('a round solved whole after the end', 10_000, again),
    ];
  } finally {
    redis.disconnect();
  }
}

async function brokerStopped({ stand, of }: DrillContext): Promise<Check[]> {
  const broker = stand.pid('broker');
  process.kill(broker, 'SIGSTOP');
  await sleep(of(8_000, 5_000));
  process.kill(broker, 'SIGCONT');
  return [timing('a round solved whole after the end', 20_000, await solvesAgain(stand))];
}

export const serverDrills: readonly Drill[] = [
  {
    name: 'redis-cut',
    row: '10',
    fault: '1,000 deadlines in 30 s; Redis cut off for 10 s in their middle (80, 7.5 s and 2.5 s in CI)',
    expected:
      'those inside decided in the order of their deadlines right behind it, and marked; all others in time; none twice',
    alerts: ['RoundhouseOutage', 'RoundhouseOutageLasts'],
    console: { where: /Redis/, words: /./ },
    inQuick: true,
    run: redisCut,
  },
  {
    name: 'redis-eviction',
    row: '11',
    fault: 'maxmemory-policy volatile-lru',
    expected: 'not ready, with the reason',
    alerts: ['RoundhouseNotReady'],
    console: { where: /Redis/, words: /volatile-lru/ },
    inQuick: true,
    run: evictionPolicy,
  },
  {
    name: 'redis-full',
    row: 'disk full',
    fault: 'Redis refuses writes (maxmemory) under 5 rounds/s',
    expected: 'not ready, with the reason; commands are given again; late decisions are marked',
    alerts: ['RoundhouseNotReady', 'RoundhouseOutage'],
    console: { where: /Redis/, words: /./ },
    inQuick: false,
    run: (context) => underLoad(context, 'redis-full', {}, () => redisFull(context)),
  },
  {
    name: 'redis-muted',
    row: 'muted socket',
    fault: 'the line to Redis takes bytes and answers nothing for 10 s (3 s in CI), under 5 rounds/s',
    expected: 'as for a cut: marked, in order, none lost',
    alerts: ['RoundhouseOutage'],
    console: { where: /Redis/, words: /./ },
    inQuick: false,
    run: (context) =>
      underLoad(context, 'redis-muted', {}, muted('redisLine', context.stand, context.of(10_000, 3_000))),
  },
  {
    name: 'kafka-muted',
    row: 'muted socket',
    fault: 'the line to Kafka takes bytes and answers nothing for 10 s, under 5 rounds/s',
    expected: 'sends are made again, marked where late; none lost, none twice',
    alerts: ['RoundhouseOutage'],
    console: { where: /Kafka/, words: /does not answer|is silent|outage/ },
    inQuick: false,
    run: (context) =>
      underLoad(context, 'kafka-muted', { deadlineMs: 12_000 }, muted('kafkaLine', context.stand, 10_000)),
  },
  {
    name: 'broker-stopped',
    row: 'SIGSTOP',
    fault: 'SIGSTOP of the broker for 8 s (5 s in CI) under 5 rounds/s',
    expected: 'sends are made again, marked where late; none lost, none twice',
    alerts: ['RoundhouseOutage'],
    console: { where: /Kafka/, words: /does not answer|is silent|outage/ },
    inQuick: false,
    run: (context) => underLoad(context, 'broker-stopped', {}, () => brokerStopped(context)),
  },
  {
    name: 'slow-network',
    row: 'slow network',
    fault:
      '40 ms each way to Kafka and Redis for 20 s (4 s in CI), under 5 rounds/s with 8 s to their deadlines',
    expected: 'slower, all in time',
    console: { where: /Kafka/, words: /slowly/ },
    inQuick: false,
    run: (context) =>
      underLoad(
        context,
        'slow-network',
        {
          then: (verdict) => [
            check('coverage', '≥ 0.9', verdict.coverage.toFixed(3), verdict.coverage >= 0.9),
          ],
        },
        slow(context.stand, 40, context.of(20_000, 4_000)),
      ),
  },
];
