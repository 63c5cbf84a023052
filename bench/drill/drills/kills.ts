import { atMost, check, equal, type Check, type Drill } from '../drill';
import { scrape, total } from '../metrics';
import { outcomesTwice } from '../rounds/decided';
import type { NamedCause } from '../console/judge-console';
import type { Sender } from '../rounds/sender';
import { solvesAgain, underLoad } from '../rounds/under-load';
import type { Stand } from '../stand/stand';
import { until } from '../until';

interface Killed {
  readonly part: string;
  readonly expected: string;
  readonly console: NamedCause;
  readonly alerts?: readonly string[];
  /** From the kill to a round that is solved whole, ms. */
  readonly withinMs: number;
}

function kill({ part, expected, withinMs, alerts = [], console }: Killed): Drill {
  return {
    name: `kill-${part}`,
    row: 'SIGKILL',
    fault: `SIGKILL of ${part} under 5 rounds/s`,
    expected,
    alerts,
    console,
    inQuick: false,
    run: (context) =>
      underLoad(context, `kill-${part}`, { deadlineMs: 12_000 }, async (sender) => {
        const { stand } = context;
        if (part === 'engine') return engineWithShards(stand, sender, withinMs);
        const from = performance.now();
        await stand.kill(part);
        await stand.restart(part);
        return [check('running again', 'yes', 'restarted', true), await solvedAfter(from, withinMs, stand)];
      }),
  };
}

async function solvedAfter(from: number, withinMs: number, stand: Stand): Promise<Check> {
  await solvesAgain(stand);
  const ms = performance.now() - from;
  return { ...atMost('from the kill to a round solved whole', withinMs, ms, ' ms'), isTiming: true };
}

/** It is stopped first, so that it has shards that it can't have answered. */
async function engineWithShards(stand: Stand, { runId }: Sender, withinMs: number): Promise<Check[]> {
  const count = async (name: string) => total(await scrape(stand.url('worker', '/metrics')), name);
  const [engine, pids] = [stand.pid('engine'), stand.pipeline.enginePids()];
  const resent = await count('dispatch_shards_resent_total');
  process.kill(engine, 'SIGSTOP');
  const sent = await count('dispatch_data_plane_requests_total');
  await until(async () => (await count('dispatch_data_plane_requests_total')) > sent, 'it has shards', 1_500);
  const from = performance.now();
  process.kill(engine, 'SIGKILL');
  await until(() => stand.pipeline.enginePids().some((pid) => !pids.includes(pid)), 'another engine');
  const solved = await solvedAfter(from, withinMs, stand);
  const again = (await count('dispatch_shards_resent_total')) - resent;
  return [
    check('running again', 'yes', 'by the sentinel', true),
    check('shards sent once more', '≥ 1', again, again > 0),
    equal('shards with two outcomes', 0, await outcomesTwice(stand, runId)),
    solved,
  ];
}

export const kills: readonly Drill[] = [
  kill({
    part: 'engine',
    console: { where: /worker/, words: /gave up its active engine/ },
    alerts: ['RoundhouseEngineLost'],
    expected: 'another engine; its shards are sent once more; every round decided',
    withinMs: 3_000,
  }),
  kill({
    part: 'worker',
    console: { where: /worker/, words: /ended without a word|started again/ },
    alerts: ['RoundhouseRestarted'],
    expected: 'its engine ends with it; what it had is read again and each outcome used once',
    withinMs: 15_000,
  }),
  kill({
    part: 'aggregator',
    console: { where: /aggregator/, words: /ended without a word|started again/ },
    alerts: ['RoundhouseRestarted'],
    expected: 'rounds are read again, outcomes come from Redis; late ones are marked',
    withinMs: 15_000,
  }),
  kill({
    part: 'ingest',
    console: { where: /ingest/, words: /ended without a word|started again/ },
    alerts: ['RoundhouseRestarted'],
    expected: 'producers try again: a round is accepted once or refused',
    withinMs: 15_000,
  }),
  kill({
    part: 'redis',
    console: { where: /Redis/, words: /./ },
    alerts: ['RoundhouseOutage'],
    expected: 'commands wait; late decisions are marked and in the order of their deadlines',
    withinMs: 15_000,
  }),
  kill({
    part: 'broker',
    console: { where: /Kafka/, words: /does not answer|is silent|outage/ },
    alerts: ['RoundhouseOutage'],
    expected: 'sends are made again until they are taken; late decisions are marked',
    withinMs: 30_000,
  }),
];
