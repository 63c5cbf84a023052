import type { Fault } from '#policy/balancing/simulation/scenario';
import { standardScenario, type StandardOptions } from '#policy/balancing/simulation/standard-scenario';
import { figuresOf, policyNames, type PolicyName } from './compare';

const fromMs = 2_000;
const bad = ['dead', 'hung', 'slow', 'failing'] as const;
const good = 4;

/** One worker with its own engine, three good remotes and as many bad ones as `kinds`; the load is that of the good. */
function options(seed: number, kinds: readonly Fault['kind'][]): Partial<StandardOptions> {
  const engines = good + kinds.length;
  const faults = kinds.map((kind, at) => ({
    engine: good + at,
    kind,
    fromMs,
    untilMs: Infinity,
    factor: 20,
  }));
  const load = (0.6 * good) / engines;
  return { seed, engines, workers: 1, speeds: [1], load, durationMs: 20_000, roundsPerBurst: 2, faults };
}

/** Misses with bad remotes against the same shards without them. */
export function faultyRemotes(seeds: readonly number[]) {
  const sets = [...bad.map((kind) => [kind]), ['dead', 'slow', 'failing'] as const, [...bad]];
  return sets.map((kinds) => {
    const rows = policyNames.map((name) => [name, compared(seeds, kinds, name)] as const);
    return { bad: kinds.join(', '), ...Object.fromEntries(rows) };
  });
}

function compared(seeds: readonly number[], kinds: readonly Fault['kind'][], name: PolicyName) {
  const runs = seeds.map((seed) => {
    const changes = options(seed, kinds);
    const hidden = kinds.map((_, at) => good + at);
    const withBad = figuresOf(standardScenario(changes), name);
    const without = figuresOf(standardScenario({ ...changes, hidden }), name);
    return { withBad, without };
  });
  const mean = (of: (run: (typeof runs)[number]) => number) =>
    runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  const detections = runs.map(({ withBad }) => withBad.detectionMs).filter((ms) => ms !== null);
  return {
    missed: mean((run) => run.withBad.missed),
    missedWithout: mean((run) => run.without.missed),
    latencyP99Ms: mean((run) => run.withBad.latencyP99Ms),
    latencyP99WithoutMs: mean((run) => run.without.latencyP99Ms),
    attempts: mean((run) => run.withBad.attempts),
    detectionMs: detections.length === 0 ? null : Math.max(...detections),
  };
}
