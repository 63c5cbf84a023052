import { buildShard, costs, settings } from '../../../test/support/build-scheduling';
import { Fifo } from '../fifo';
import { phaseTimes } from '../phases';
import type { Scheduler } from '../scheduler';
import { Staggered } from '../staggered';
import { busyBoundMs, measure } from './measure';
import type { Scenario } from './scenario';
import { simulate } from './simulate';

const zero = { decode: 0, copyIn: 0, etr: 0, or: 0, copyOut: 0, publish: 0 };

/** Two shards of 10 ms of ETR and 10 of OR, at 0, on one device. */
function twoShards(changes: Partial<Scenario> = {}): Scenario {
  const shard = (id: string) => ({ ...buildShard(id), arrivesMs: 0, seed: 1 });
  return {
    models: [{ name: 'm', fixedMs: phaseTimes(zero), msPerUnit: phaseTimes({ ...zero, etr: 10, or: 10 }) }],
    devices: [{ id: 'a', speed: 1, arenaBytes: 100, fullSize: 1, interference: 0 }],
    shards: [shard('1'), shard('2')],
    losses: [],
    noise: { spread: 0, outlierShare: 0, outlierFactor: 1 },
    cores: 1,
    poolBytes: 100,
    ...changes,
  };
}

function endsOf(scenario: Scenario, scheduler: Scheduler): string[] {
  return simulate(scenario, scheduler).outcomes.map(
    ({ shard, kind, endMs }) => `${shard.id} ${kind} ${Math.round(endMs)}`,
  );
}

test('fifo: both share ETR for 20 ms, then both share OR for 20; in turns the second is done after 30', () => {
  expect(endsOf(twoShards(), new Fifo(settings(), costs()))).toEqual(['1 solved 40', '2 solved 40']);
  expect(endsOf(twoShards(), new Staggered(settings(), costs()))).toEqual(['1 solved 20', '2 solved 30']);
});

test('interference: while both are at work ETR and OR take half as long again', () => {
  const [device] = twoShards().devices;
  const scenario = twoShards({ devices: [{ ...device!, interference: 0.5 }] });
  // 10 alone; 1's OR beside 2's ETR: 15; 2's OR alone: 10
  expect(endsOf(scenario, new Staggered(settings(), costs()))).toEqual(['1 solved 25', '2 solved 35']);
});

test('a device that is lost at 15: what it had is begun again elsewhere', () => {
  const [device] = twoShards().devices;
  const devices = [device!, { ...device!, id: 'b', speed: 0.5 }];
  const losses = [{ deviceId: 'a', atMs: 15, backMs: Infinity }];
  const result = simulate(twoShards({ devices, losses }), new Fifo(settings(), costs()));
  // 2 is on b and alone till 15: ETR has 5 ms of its 20 left; 1 joins it. Everybody has one outcome.
  expect(result.outcomes.map(({ shard, kind }) => `${shard.id} ${kind}`)).toEqual(['2 solved', '1 solved']);
  expect(result.starts.map(({ shard, deviceId }) => `${shard.id} ${deviceId}`)).toEqual([
    '1 a',
    '2 b',
    '1 b',
  ]);
  expect(result.memory.leftBytes()).toBe(0);
});

test('what is past its deadline between phases is missed', () => {
  const shards = twoShards().shards.map((shard) => ({ ...shard, deadlineMs: 15 }));
  expect(endsOf(twoShards({ shards }), new Fifo(settings(), costs()))).toEqual([
    '1 missed 20',
    '2 missed 20',
  ]);
});

test('a scheduler that would wait for ever is told so', () => {
  const none = new Fifo(settings(), costs());
  none.decide = () => ({ kind: 'wait', untilMs: Infinity });
  expect(() => simulate(twoShards(), none)).toThrow('waits for ever');
});

test('the figures of the two', () => {
  const scenario = twoShards();
  const figures = measure(scenario, simulate(scenario, new Staggered(settings(), costs())));
  // Latencies 20 and 30; both busy from 10 to 20 of 30; the bound is 20 ms of ETR.
  expect(figures).toMatchObject({
    solved: 2,
    makespanMs: 30,
    latencyP50Ms: 25,
    overlap: expect.closeTo(1 / 3),
    poolPeakBytes: 2,
    inFlightPeak: 2,
  });
  expect(busyBoundMs(scenario)).toBe(20);
});
