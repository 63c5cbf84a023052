import { Fifo } from '../fifo';
import type { Scheduler } from '../scheduler';
import { Staggered } from '../staggered';
import { mixedRandom } from './mixed-random';
import { busyBoundMs, measure } from './measure';
import type { Scenario } from './scenario';
import { simulate, type SimulationResult } from './simulate';
import { standardCosts, standardScenario, standardSettings } from './standard-scenario';

const seeds = Array.from({ length: process.env['TEST_FULL'] === '1' ? 60 : 12 }, (_, index) => index + 1);
const mostPasses = 16;
jest.setTimeout(60_000);

/** One to four devices of any speed, tight memory, deadlines from hopeless to ample; a loss in every second. */
function anyScenario(seed: number, withLosses: boolean): Scenario {
  const random = mixedRandom(seed);
  const speeds = Array.from({ length: 1 + random.below(4) }, () => 0.1 + random.unit());
  const loss = { deviceId: `device-${random.below(speeds.length)}`, atMs: 500 * random.unit() };
  return standardScenario({
    seed,
    speeds,
    load: 0.3 + 1.2 * random.unit(),
    bursts: 3,
    deadlineMs: [20, 50 + 3_000 * random.unit()],
    interference: random.unit(),
    losses: withLosses ? [{ ...loss, backMs: loss.atMs + 500 * random.unit() }] : [],
    // The largest shard takes 0.25 MiB and 126 MiB: now and then there is one that fits nowhere.
    poolBytes: (0.2 + 2 * random.unit()) * 2 ** 20,
    arenaBytes: (100 + 500 * random.unit()) * 2 ** 20,
  });
}

function schedulers({ poolBytes }: Scenario): Record<'staggered' | 'fifo', Scheduler> {
  const settings = standardSettings({ poolBytes, mostPasses });
  return {
    staggered: new Staggered(settings, standardCosts()),
    fifo: new Fifo(settings, standardCosts()),
  };
}

function expectSound(scenario: Scenario, { outcomes, starts, memory }: SimulationResult): void {
  const ids = outcomes.map(({ shard }) => shard.id);
  expect(new Set(ids).size).toBe(scenario.shards.length);
  expect(ids).toHaveLength(scenario.shards.length);
  for (const { shard, atMs } of starts) expect(atMs).toBeLessThan(shard.deadlineMs);
  for (const { shard, kind, endMs } of outcomes)
    if (kind === 'solved') expect(endMs).toBeLessThanOrEqual(shard.deadlineMs);
  expect(memory.peaks.get('pool') ?? 0).toBeLessThanOrEqual(scenario.poolBytes);
  for (const { id, arenaBytes } of scenario.devices)
    expect(memory.peaks.get(id) ?? 0).toBeLessThanOrEqual(arenaBytes);
  expect(memory.leftBytes()).toBe(0);
}

describe.each(['staggered', 'fifo'] as const)('%s', (name) => {
  test.each([false, true])(
    'one outcome a shard, no start past a deadline, never over memory (losses: %s)',
    (losses) => {
      for (const seed of seeds) {
        const scenario = anyScenario(seed, losses);
        const scheduler = schedulers(scenario)[name];
        const result = simulate(scenario, scheduler);
        expectSound(scenario, result);
        const { poolBytes, inFlight, waiting, poolPeakBytes } = scheduler.figures();
        expect({ poolBytes, inFlight, waiting }).toEqual({ poolBytes: 0, inFlight: 0, waiting: 0 });
        expect(poolPeakBytes).toBe(result.memory.peaks.get('pool') ?? 0);
      }
    },
  );

  test('the same again for the same seed', () => {
    for (const seed of seeds.slice(0, 5)) {
      const run = () => {
        const scenario = anyScenario(seed, true);
        const { outcomes, starts } = simulate(scenario, schedulers(scenario)[name]);
        return { outcomes, starts };
      };
      expect(run()).toEqual(run());
    }
  });

  test('a shard that is late has not cost anything', () => {
    for (const seed of seeds) {
      const scenario = anyScenario(seed, false);
      const { outcomes, starts } = simulate(scenario, schedulers(scenario)[name]);
      const started = new Set(starts.map(({ shard }) => shard.id));
      for (const { shard, kind } of outcomes)
        if (kind === 'late' || kind === 'unfit') expect(started.has(shard.id)).toBe(false);
    }
  });
});

test('fifo starts by arrival', () => {
  for (const seed of seeds) {
    const scenario = anyScenario(seed, false);
    const place = new Map(scenario.shards.map(({ id }, index) => [id, index]));
    const { starts } = simulate(scenario, schedulers(scenario).fifo);
    const order = starts.map(({ shard }) => place.get(shard.id)!);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
});

test('staggered: no more than so many that came later start before a shard has started or is given back', () => {
  let most = 0;
  for (const seed of seeds) {
    const scenario = anyScenario(seed, false);
    const place = new Map(scenario.shards.map(({ id }, index) => [id, index]));
    const { starts, outcomes } = simulate(scenario, schedulers(scenario).staggered);
    const gone = new Map(outcomes.map(({ shard, endMs }) => [shard.id, endMs]));
    const startOrder = starts.map(({ shard }) => place.get(shard.id)!);
    for (const { id } of scenario.shards) {
      const own = startOrder.indexOf(place.get(id)!);
      // Of one that was given back: those that started before that moment.
      const before = own >= 0 ? startOrder.slice(0, own) : beforeMs(starts, place, gone.get(id)!);
      const passes = before.filter((other) => other > place.get(id)!).length;
      most = Math.max(most, passes);
    }
  }
  expect(most).toBe(mostPasses);
});

function beforeMs(starts: SimulationResult['starts'], place: Map<string, number>, ms: number): number[] {
  return starts.filter(({ atMs }) => atMs < ms).map(({ shard }) => place.get(shard.id)!);
}

test('on bursts of rounds twentyfold apart staggered is faster than fifo, in less memory', () => {
  for (const seed of [1, 2, 3]) {
    const scenario = standardScenario({ seed });
    const run = (scheduler: Scheduler) => measure(scenario, simulate(scenario, scheduler));
    const settings = standardSettings();
    const fifo = run(new Fifo(settings, standardCosts()));
    const staggered = run(new Staggered(settings, standardCosts()));
    expect(staggered.solved).toBe(scenario.shards.length);
    expect(staggered.busyMs).toBeLessThan(0.95 * fifo.busyMs);
    expect(staggered.busyMs).toBeGreaterThan(busyBoundMs(scenario));
    expect(staggered.latencyP99Ms).toBeLessThan(fifo.latencyP99Ms);
    expect(staggered.inFlightPeak).toBeLessThan(fifo.inFlightPeak);
  }
});
