import type { OffsetsLook, OffsetsReader } from '#lib/bus/kafka';
import { topicsOf } from '#schemas/topics';
import { MetricsRegistry } from '#lib/metrics/registry';
import { addFamilies } from '../families';
import { ownGroups, watchedGroups } from './group-names';
import { LagWatch } from './lag-watch';
import { TopicRates } from './topic-rates';

const topics = topicsOf('x.');
const all = Object.values(topics);

/** A bus whose topics and offsets are what the test says. */
function setUp(now?: () => number) {
  const asked: string[][] = [];
  const bus = { missing: all.slice(), fault: null as string | null, end: 5n };
  const look = (groups: readonly { groupId: string; topic: string }[], present: readonly string[]) => {
    if (bus.fault === 'silence') return new Promise<OffsetsLook>(() => undefined);
    if (bus.fault !== null) return Promise.reject(new Error(bus.fault));
    asked.push([...present]);
    const ends = present.map((topic) => ({ topic, partition: 0, oldest: 0n, end: bus.end }));
    const committed = ends.map((end) => ({ ...end, committed: 2n }));
    const views = groups.map(({ groupId, topic }) => {
      return { groupId, topic, members: 1, partitions: committed.filter((one) => one.topic === topic) };
    });
    return Promise.resolve<OffsetsLook>({ topics: ends, groups: views });
  };
  const watch = new LagWatch(
    {
      missingTopics: () => Promise.resolve(bus.missing),
      offsetsReader: () => ({ look, close: () => Promise.resolve() }) as unknown as OffsetsReader,
    },
    watchedGroups('x.', []),
    'x.',
    now,
  );
  return { bus, watch, asked };
}

test('only topics that exist are asked for, as they come', async () => {
  const { bus, watch, asked } = setUp();
  expect((await watch.look()).groups).toEqual([]);
  expect(watch.missing()).toEqual(all);
  bus.missing = [topics.observations];
  expect((await watch.look()).groups.map(({ backlog }) => backlog)).toEqual([3, 3, 3]);
  expect(asked.at(-1)).not.toContain(topics.observations);
  expect(watch.missing()).toEqual([topics.observations]);
});

test('topics that no group reads are looked at seldom, and stay as they were meanwhile', async () => {
  const { bus, watch, asked } = setUp();
  bus.missing = [];
  for (let i = 0; i < 6; i++) expect((await watch.look()).topics).toHaveLength(all.length);
  expect(asked.map((those) => those.length)).toEqual([6, 4, 4, 4, 4, 6]);
});

test('while the brokers do not answer, the last look stands and the reason is known', async () => {
  const { bus, watch } = setUp();
  bus.missing = [];
  expect(watch.whyNot()).toBe('not looked at yet');
  const before = await watch.look();
  expect(watch.whyNot()).toBeNull();
  bus.fault = 'connect ECONNREFUSED';
  expect(await watch.look()).toBe(before);
  expect(watch.whyNot()).toBe('connect ECONNREFUSED');
  bus.fault = null;
  bus.end = 9n;
  expect((await watch.look()).groups[0]!.backlog).toBe(7);
  expect(watch.whyNot()).toBeNull();
});

test('brokers that say nothing hold nobody up', async () => {
  const { bus, watch } = setUp();
  bus.missing = [];
  const before = await watch.look();
  bus.fault = 'silence';
  expect(await watch.look()).toBe(before);
  expect(watch.whyNot()).toBe("the brokers don't answer within 1500 ms");
});

// Guards against scrapes that told figures of before an outage for as long as it lasted.
test('figures hold for half a minute of silence and are no more known then', async () => {
  let now = 1_000;
  const { bus, watch } = setUp(() => now);
  bus.missing = [];
  const registry = new MetricsRegistry();
  const counts = () => (watch.holding() === null ? null : { waiting: 3, atRisk: 2, overdue: 1 });
  addFamilies(registry, { lag: () => watch.holding(), counts, viewers: () => 0 });
  const told = async () => {
    const text = await registry.metrics();
    return [/^kafka_consumergroup_lag{/m, /^dispatch_rounds_at_risk 2$/m].map((line) => line.test(text));
  };
  expect([watch.holding(), await told()]).toEqual([null, [false, false]]);
  await watch.look();
  bus.fault = 'connect ECONNREFUSED';
  now += 30_000;
  await watch.look();
  expect(await told()).toEqual([true, true]);
  now += 1;
  expect(await told()).toEqual([false, false]);
  bus.fault = null;
  await watch.look();
  expect(await told()).toEqual([true, true]);
});

test('a group that is named twice is looked at once', () => {
  const { shards } = ownGroups('x.');
  expect(watchedGroups('x.', [shards, { groupId: 'b', topic: 't' }])).toHaveLength(4);
});

test('rates are those of the last ten seconds; a topic made anew has none at first', () => {
  const rates = new TopicRates();
  const saw = (at: number, end: bigint, taken: number) => {
    const group = {
      groupId: 'g',
      topic: 't',
      members: 1,
      backlog: 0,
      secondsBehind: 0,
      taken,
      partitions: [],
    };
    rates.saw({ topics: [{ topic: 't', partition: 0, oldest: 0n, end }], groups: [group] }, at);
  };
  saw(0, 100n, 90);
  expect(rates.cameIn('t')).toBeNull();
  saw(5_000, 150n, 100);
  expect([rates.cameIn('t'), rates.tookOut('g', 't')]).toEqual([10, 2]);
  // From 5,000 on: 10 in 10 s
  saw(15_000, 160n, 130);
  expect([rates.cameIn('t'), rates.tookOut('g', 't')]).toEqual([1, 3]);
  saw(16_000, 3n, 0);
  expect([rates.cameIn('t'), rates.cameIn('u')]).toEqual([null, null]);
  // The clock is set back: 20 in the second after that
  saw(1_000, 10n, 0);
  expect(rates.cameIn('t')).toBeNull();
  saw(2_000, 30n, 0);
  expect(rates.cameIn('t')).toBe(20);
});
