import type { Drill } from '../drill';
import { atMost, check } from '../drill';
import { solvesAgain, underLoad } from '../rounds/under-load';
import { until } from '../until';

interface Killed {
  readonly part: string;
  readonly expected: string;
  readonly alerts?: readonly string[];
  /** From the kill to a round that is solved whole, ms. */
  readonly withinMs: number;
}

function kill({ part, expected, withinMs, alerts = [] }: Killed): Drill {
  return {
    name: `kill-${part}`,
    row: 'SIGKILL',
    fault: `SIGKILL of ${part} under 5 rounds/s`,
    expected,
    alerts,
    inQuick: false,
    run: (context) =>
      underLoad(context, `kill-${part}`, { deadlineMs: 12_000 }, async () => {
        const { stand } = context;
        const before = stand.pipeline.enginePids();
        const from = performance.now();
        if (part === 'engine') process.kill(stand.pid('engine'), 'SIGKILL');
        else await stand.kill(part);
        if (part === 'engine') await anotherEngine(context.stand.pipeline.enginePids, before);
        else await stand.restart(part);
        await solvesAgain(stand);
        const ms = performance.now() - from;
        const back = check('running again', 'yes', part === 'engine' ? 'by the sentinel' : 'restarted', true);
        return [
          back,
          { ...atMost('from the kill to a round solved whole', withinMs, ms, ' ms'), isTiming: true },
        ];
      }),
  };
}

const anotherEngine = (pids: () => number[], before: readonly number[]): Promise<number> =>
  until(() => pids().some((pid) => !before.includes(pid)), 'another engine');

export const kills: readonly Drill[] = [
  kill({
    part: 'engine',
    alerts: ['RoundhouseEngineLost'],
    expected: 'another engine; its shards are sent once more; every round decided',
    withinMs: 3_000,
  }),
  kill({
    part: 'worker',
    alerts: ['RoundhouseRestarted'],
    expected: 'its engine ends with it; what it had is read again and each outcome used once',
    withinMs: 15_000,
  }),
  kill({
    part: 'aggregator',
    alerts: ['RoundhouseRestarted'],
    expected: 'rounds are read again, outcomes come from Redis; late ones are marked',
    withinMs: 15_000,
  }),
  kill({
    part: 'ingest',
    alerts: ['RoundhouseRestarted'],
    expected: 'producers try again: a round is accepted once or refused',
    withinMs: 15_000,
  }),
  kill({
    part: 'redis',
    alerts: ['RoundhouseOutage'],
    expected: 'commands wait; late decisions are marked and in the order of their deadlines',
    withinMs: 15_000,
  }),
  kill({
    part: 'broker',
    alerts: ['RoundhouseOutage'],
    expected: 'sends are made again until they are taken; late decisions are marked',
    withinMs: 30_000,
  }),
];
