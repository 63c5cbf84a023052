import { MetricsRegistry } from '#lib/metrics/registry';
import { Episodes } from '#policy/operations/episodes';
import type { DecisionSummary } from '#schemas/summaries';
import { buildLook } from '../../../test/support/build-look';
import { buildDecisionView, buildRoundView } from '../../../test/support/build-round-view';
import { addFamilies } from '../families';
import { LagBook } from '../kafka/lag-book';
import { RoundLog } from '../rounds/round-log';
import { ConsoleState, type Seen } from './console-state';

const events = process.env['TEST_FULL'] === '1' ? 1_000_000 : 100_000;
const worker = 'dispatch_engine_pid{engine="cpu",service="inference-worker"} 7\n';

/** `taken` of `sent` shards are committed. */
function offsets(sent: number, taken: number, members = 1) {
  const end = { topic: 'dispatch.shards', partition: 0, oldest: 0n, end: BigInt(sent) };
  const partitions = [{ ...end, committed: BigInt(taken) }];
  const group = { groupId: 'inference-worker', topic: 'dispatch.shards', members, partitions };
  return { topics: [end], groups: [group] };
}

function setUp() {
  const rounds = new RoundLog(2_000);
  const state = new ConsoleState(rounds, new Episodes(), {
    ...{ topicPrefix: '', intervalMs: 2_000, whyForgotten: () => null },
  });
  const book = new LagBook();
  const look = (at: number, sent: number, taken: number, changes: Partial<Seen> = {}) =>
    state.saw({
      at,
      lag: book.saw(offsets(sent, taken), at),
      services: [buildLook('worker', worker)],
      kafkaFault: null,
      kafkaLookMs: null,
      missingTopics: [],
      ...changes,
    });
  return { rounds, state, book, look };
}

test('workers that stand still put the rounds at risk that still have shards waiting', () => {
  const { rounds, look } = setUp();
  look(0, 10, 0);
  // 20 shards a second
  expect(look(1_000, 30, 20).counts.atRisk).toBe(0);
  rounds.manifest(buildRoundView('a', 1_000));
  expect(look(1_100, 30, 22).counts).toEqual({ waiting: 1, atRisk: 0, overdue: 0 });
  // Nothing any more: after 30 s the rate is 20 · e^-6, and 8 shards need minutes
  rounds.manifest(buildRoundView('b', 31_000));
  const tick = look(31_100, 30, 22);
  expect(tick.counts).toEqual({ waiting: 2, atRisk: 2, overdue: 1 });
  expect(tick.level).toBe('bad');
  expect(tick.way.shards).toMatchObject({ waiting: 8, members: 1 });
});

test('a worker that falls silent leaves its engines and incidents standing', () => {
  const { state, look } = setUp();
  const engine = { id: 'cpu', state: 'up', reason: '', device: 'cpu', incarnation: 1 };
  const incident = { id: 'x', kind: 'death', role: 'active', reason: 'gone', at: 't', reaction: 'restart' };
  const incidents = [{ ...incident, engine: null }];
  look(0, 0, 0, { services: [buildLook('worker', worker, { engines: [engine], incidents })] });
  for (const at of [2_000, 4_000]) {
    const tick = look(at, 0, 0, { services: [buildLook('worker', '', { fault: 'nobody listens there' })] });
    expect(tick.engines).toMatchObject([
      { id: 'cpu', state: 'unknown', reason: 'its worker does not answer' },
    ]);
    expect(state.snapshot()!.incidents).toMatchObject([{ id: 'x', worker: 'worker' }]);
  }
});

test('who begins to look gets the past and the rounds; later ones only what changed', () => {
  const { rounds, state, look } = setUp();
  expect(state.snapshot()).toBeNull();
  rounds.manifest(buildRoundView('a', 0));
  expect(look(1_000, 0, 0).rounds).toHaveLength(1);
  expect(look(3_000, 0, 0).rounds).toHaveLength(0);
  const snapshot = state.snapshot()!;
  expect(snapshot.rounds).toHaveLength(1);
  expect(snapshot.history.at).toEqual([1_000, 3_000]);
});

test(`${events} rounds later there are as many series, and a scrape is as small`, async () => {
  const { rounds, state, book, look } = setUp();
  const registry = new MetricsRegistry({ service: 'ops' });
  addFamilies(registry, { lag: () => book.last, counts: () => state.counts(Date.now()), viewers: () => 0 });
  const series = async (): Promise<number> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  look(Date.now(), 0, 0);
  const before = await series();
  for (let i = 0; i < events; i++) {
    const round = buildRoundView(`round-${i}`, Date.now());
    rounds.manifest(round);
    const view = buildDecisionView(Date.now());
    if (i % 1_000 > 0) rounds.decision({ summary: round as unknown as DecisionSummary, view });
    if (i % 10_000 === 0) look(Date.now(), 2 * i, 2 * i);
  }
  const startedAt = performance.now();
  expect(await series()).toBe(before);
  // Wanted are 100 ms; a machine that does much else at the time may need more
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(rounds.size).toBe(2_000);
  expect(JSON.stringify(state.snapshot()).length).toBeLessThan(400_000);
}, 300_000);

test('incidents are told once, and again where there is another one', () => {
  const { state, look } = setUp();
  const incident = { id: 'x', kind: 'death', role: 'active', reason: 'gone', at: 't', reaction: 'restart' };
  const said = [{ ...incident, engine: null }];
  const at = (time: number, incidents: typeof said) =>
    look(time, 0, 0, { services: [buildLook('worker', worker, { incidents })] });
  expect(at(0, said).incidents).toHaveLength(1);
  expect(at(2_000, said).incidents).toBeUndefined();
  expect(state.snapshot()!.incidents).toHaveLength(1);
  expect(at(4_000, [...said, { ...said[0]!, id: 'y' }]).incidents).toMatchObject([{ id: 'y' }, { id: 'x' }]);
});
