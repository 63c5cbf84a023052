import { mixedRandom } from '../../scheduling/simulation/mixed-random';
import { LeastLoaded, PowerOfTwo, RandomRouter, RoundRobin } from './baselines';
import { measure } from './measure';
import { OurRouter } from './our-router';
import type { Fault, Scenario } from './scenario';
import type { MakeRouter } from './simulated-router';
import { simulate } from './simulate';
import { standardScenario } from './standard-scenario';

const seeds = Array.from({ length: process.env['TEST_FULL'] === '1' ? 40 : 8 }, (_, index) => index + 1);
jest.setTimeout(60_000);

const policies: Record<string, MakeRouter> = {
  random: (remotes, random) => new RandomRouter(remotes, random),
  roundRobin: (remotes, random) => new RoundRobin(remotes, random),
  leastLoaded: (remotes, random) => new LeastLoaded(remotes, random),
  powerOfTwo: (remotes, random) => new PowerOfTwo(remotes, random),
  ours: (remotes, random) => new OurRouter(remotes, random),
};
const ours = policies['ours']!;

const kinds = ['dead', 'hung', 'slow', 'failing'] as const;

/** Two to twelve engines of any speed, some of them bad for some time, the workers' own among them. */
function anyScenario(seed: number): Scenario {
  const random = mixedRandom(seed);
  const engines = 2 + random.below(11);
  const faults: Fault[] = Array.from({ length: random.below(5) }, () => {
    const fromMs = 500 * random.unit();
    const untilMs = random.unit() < 0.5 ? fromMs + 300 : Infinity;
    return { engine: random.below(engines), kind: kinds[random.below(4)]!, fromMs, untilMs, factor: 20 };
  });
  return standardScenario({
    seed,
    engines,
    workers: 1 + random.below(Math.min(3, engines)),
    speeds: [1, 0.2 + random.unit()],
    load: 0.2 + random.unit(),
    durationMs: 1_000,
    roundsPerBurst: 1 + random.below(4),
    deadlineMs: [50, 100 + 800 * random.unit()],
    reportEveryMs: 300 * random.unit(),
    faults,
  });
}

test.each(Object.keys(policies))('%s: one outcome a shard, nothing solved after its deadline', (name) => {
  for (const seed of seeds) {
    const scenario = anyScenario(seed);
    const { outcomes } = simulate(scenario, policies[name]!);
    const ids = outcomes.map(({ shard }) => shard.id).toSorted((a, b) => a - b);
    expect(ids).toEqual(scenario.shards.map(({ id }) => id));
    for (const { shard, solved, endMs } of outcomes)
      if (solved) expect(endMs).toBeLessThanOrEqual(shard.deadlineMs);
  }
});

test('ours: the same again for the same seed', () => {
  for (const seed of seeds.slice(0, 4)) {
    const run = () => simulate(anyScenario(seed), ours).outcomes;
    expect(run()).toEqual(run());
  }
});

test('ours: nothing is left under way at any remote', () => {
  for (const seed of seeds) {
    const scenario = anyScenario(seed);
    const { routers } = simulate(scenario, ours);
    for (const router of routers)
      for (const { name } of scenario.engines)
        expect((router as OurRouter).router.remote(name)?.load.inFlight ?? 0).toBe(0);
  }
});

describe('one worker, four good engines, and bad ones from 2 s on', () => {
  const good = 4;
  const sets: (readonly Fault['kind'][])[] = [
    ['dead'],
    ['hung'],
    ['slow'],
    ['failing'],
    ['dead', 'slow', 'failing'],
  ];

  test.each(sets.map((set) => [set]))(
    '%j: misses within 1% of the run without them, seen in a second',
    (set) => {
      const faults = set.map((kind, at) => {
        return { engine: good + at, kind, fromMs: 2_000, untilMs: Infinity, factor: 20 };
      });
      const engines = good + set.length;
      const changes = {
        engines,
        workers: 1,
        speeds: [1],
        load: (0.6 * good) / engines,
        durationMs: 8_000,
        faults,
      };
      const hidden = set.map((_, at) => good + at);
      const figures = (more: object) => {
        const scenario = standardScenario({ ...changes, roundsPerBurst: 2, ...more });
        return measure(scenario, simulate(scenario, ours));
      };
      const [withBad, without] = [figures({}), figures({ hidden })];
      expect(withBad.missed - without.missed).toBeLessThanOrEqual(0.01);
      expect(withBad.detectionMs).not.toBeNull();
      expect(withBad.detectionMs!).toBeLessThan(1_000);
    },
  );
});

test("the worker's own engine dead for good: all that can be done elsewhere is", () => {
  const faults = [{ engine: 0, kind: 'dead', fromMs: 0, untilMs: Infinity, factor: 1 }] as const;
  const scenario = standardScenario({
    engines: 8,
    workers: 1,
    speeds: [1],
    load: 0.4,
    roundsPerBurst: 1,
    faults,
  });
  const { missed, local } = measure(scenario, simulate(scenario, ours));
  expect(local).toBe(0);
  expect(missed).toBeLessThan(0.01);
});

test('engines of three speeds: fewer misses and a shorter tail than the others', () => {
  const scenario = standardScenario({ engines: 200, workers: 5, durationMs: 2_000 });
  const of = (name: string) => measure(scenario, simulate(scenario, policies[name]!));
  const mine = of('ours');
  for (const name of ['random', 'roundRobin', 'leastLoaded', 'powerOfTwo']) {
    const other = of(name);
    expect(mine.missed).toBeLessThan(other.missed);
    expect(mine.latencyP99Ms).toBeLessThan(other.latencyP99Ms);
  }
});
