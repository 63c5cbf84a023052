import { setTimeout as sleep } from 'node:timers/promises';
import { withAdmin } from '#lib/bus/kafka-client';
import { topicsOf } from '#schemas/topics';
import { check, equal, type Check, type Drill, type DrillContext } from '../drill';
import { scrape, total } from '../metrics';
import { underLoad } from '../rounds/under-load';
import type { Stand } from '../stand/stand';
import { until } from '../until';

/** Of nobody: their offsets are set here. */
const lagGroups = { none: 'drill-nobody', ahead: 'drill-ahead', behind: 'drill-behind' } as const;

async function setOffsets(stand: Stand, groupId: string, of: (end: number) => number): Promise<void> {
  const topic = stand.topics.shards;
  await withAdmin(stand.kafka(), async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: String(of(Number(high))) }));
    await admin.setOffsets({ groupId, topic, partitions });
  });
}

const isOf = (group: string) => `consumergroup="${group}"`;
const lagName = 'kafka_consumergroup_lag';

const lagSeries = (series: ReadonlyMap<string, number>, group = ''): number[] =>
  [...series]
    .filter(([key]) => key.startsWith(`${lagName}{`) && key.includes(group))
    .map(([, value]) => value);

/** Groups without a commit, with one beyond the end, and with one that is older than anything that is kept. */
async function lag({ stand }: DrillContext): Promise<Check[]> {
  const look = () => scrape(stand.url('ops', '/metrics'));
  const { none, ahead, behind } = lagGroups;
  await setOffsets(stand, ahead, (end) => end + 1_000);
  await setOffsets(stand, behind, () => 0);
  await until(
    async () => lagSeries(await look(), isOf(behind)).length > 0,
    'ops has seen the commits',
    20_000,
  );
  let least = Infinity;
  for (let i = 0; i < 20; i++) {
    least = Math.min(least, ...lagSeries(await look()));
    await sleep(100);
  }
  const series = await look();
  const withoutCommit = total(series, 'dispatch_consumergroup_without_commit', isOf(none));
  return [
    equal('series of lag of a group that never committed', 0, lagSeries(series, isOf(none)).length),
    check('its partitions, told as a state of their own', '≥ 1', withoutCommit, withoutCommit > 0),
    equal('lag of a commit 1,000 beyond the end', 0, total(series, lagName, isOf(ahead))),
    check(
      'lag of a commit at 0',
      '≥ 1',
      total(series, lagName, isOf(behind)),
      total(series, lagName, isOf(behind)) > 0,
    ),
    check('the least lag seen, of all groups', '≥ 0', least, least >= 0),
  ];
}

export const lagDrills: readonly Drill[] = [
  {
    name: 'lag',
    row: '7',
    fault: 'groups without a commit, with one 1,000 beyond the end, and with one at 0, under 5 rounds/s',
    expected: 'no commit is a state of its own; no lag is negative or inflated',
    console: { where: /drill-(ahead|behind)/, words: /out of range/ },
    inQuick: false,
    stand: { opsGroups: Object.values(lagGroups).map((group) => `${group}@${topicsOf().shards}`) },
    run: (context) => underLoad(context, 'lag', {}, () => lag(context)),
  },
];
