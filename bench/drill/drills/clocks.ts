import { setTimeout as sleep } from 'node:timers/promises';
import { check, equal, timing, type Check, type Drill, type DrillContext } from '../drill';
import { scrape, total } from '../metrics';
import { allDecided, readOutcomes } from '../rounds/decided';
import { senderTo, solvesAgain, underLoad } from '../rounds/under-load';
import { standing, verdictOf } from '../rounds/verdict';
import { until } from '../until';

/** The engine has answered, and the worker hears it only after the deadline: it stood still. */
async function answersLate({ stand }: DrillContext): Promise<Check[]> {
  const sent = async () =>
    total(await scrape(stand.url('worker', '/metrics')), 'dispatch_data_plane_requests_total');
  const [worker, engine] = [stand.pid('worker'), stand.pid('engine')];
  const sender = senderTo(stand, 'late-answers');
  const before = await sent();
  process.kill(engine, 'SIGSTOP');
  // An engine that stands is given up after two seconds and more.
  const round = await sender.send(1_600);
  await until(async () => (await sent()) > before, 'the engine has its shards', 1_500);
  process.kill(worker, 'SIGSTOP');
  process.kill(engine, 'SIGCONT');
  await sleep(Math.max(0, round.deadline - Date.now()) + 300);
  process.kill(worker, 'SIGCONT');
  const published = await allDecided(stand, sender.runId, sender.accepted);
  await solvesAgain(stand);
  const outcomes = await readOutcomes(stand.bus, stand.topics, sender.runId);
  const good = outcomes.filter(({ outcome }) => outcome.status === 'solved');
  const coverage = published.get(round.roundId)?.[0]?.decision.content.coverage ?? NaN;
  return [
    check('outcomes', '≥ 1', outcomes.map(({ outcome }) => outcome.status).join(', '), outcomes.length > 0),
    equal('handed out as solved after the deadline', 0, good.length),
    equal('coverage of the decision', 0, coverage),
    ...standing(verdictOf(sender.rounds, published)),
  ];
}

async function aggregatorStops({ stand }: DrillContext): Promise<Check[]> {
  const aggregator = stand.pid('aggregator');
  process.kill(aggregator, 'SIGSTOP');
  await sleep(3_000);
  process.kill(aggregator, 'SIGCONT');
  return [timing('a round solved whole after', 5_000, await solvesAgain(stand))];
}

/** The aggregator's clock alone is set, and put right when it has ended for it. */
async function clockStep({ stand }: DrillContext, stepMs: number): Promise<Check[]> {
  const pid = stand.pid('aggregator');
  stand.clock.set(stepMs);
  try {
    const ms = await until(() => stand.pidOrNull('aggregator') !== pid, 'the aggregator has ended', 30_000);
    stand.clock.set(0);
    return [
      timing('it ends after', 3_000, ms),
      timing('a round solved whole after', 20_000, await solvesAgain(stand)),
    ];
  } finally {
    stand.clock.set(0);
  }
}

const clockStepped = (name: string, stepMs: number, inQuick: boolean): Drill => ({
  name,
  row: 'clock step',
  fault: `the aggregator's clock is set ${stepMs > 0 ? 'forward' : 'back'} by ${Math.abs(stepMs) / 1_000} s under 5 rounds/s`,
  expected: 'seen, measured against the broker; it ends and starts again; nothing lost, late ones marked',
  alerts: ['RoundhouseRestarted'],
  console: { where: /aggregator/, words: /clock/i },
  inQuick,
  run: (context) => underLoad(context, name, {}, () => clockStep(context, stepMs)),
});

export const clockDrills: readonly Drill[] = [
  {
    name: 'answers-after-the-deadline',
    row: '8',
    fault: 'the worker stands still (SIGSTOP) while its engine answers, until after the deadline',
    expected: 'the shard is late, and no plan of it is merged',
    alerts: ['RoundhouseShardsLate'],
    console: { where: /worker|rounds/, words: /late|without all|hangs|stood still/ },
    inQuick: false,
    run: answersLate,
  },
  {
    name: 'aggregator-stopped',
    row: 'SIGSTOP',
    fault: 'the aggregator stands still for 3 s under 5 rounds/s with 8 s to their deadlines',
    expected: 'nothing lost or decided twice; in time',
    console: { where: /aggregator/, words: /hangs|stood still/ },
    inQuick: false,
    run: (context) => underLoad(context, 'aggregator-stopped', {}, () => aggregatorStops(context)),
  },
  clockStepped('clock-forward', 5_000, false),
  clockStepped('clock-back', -5_000, true),
];
