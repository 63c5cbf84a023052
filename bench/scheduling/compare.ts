import { Fifo } from '#policy/scheduling/fifo';
import type { Scheduler } from '#policy/scheduling/scheduler';
import { busyBoundMs, measure, type SimulationFigures } from '#policy/scheduling/simulation/measure';
import type { Scenario } from '#policy/scheduling/simulation/scenario';
import { simulate } from '#policy/scheduling/simulation/simulate';
import { standardCosts, standardSettings } from '#policy/scheduling/simulation/standard-scenario';
import { Staggered } from '#policy/scheduling/staggered';

/** The order of arrival, but phases take turns: what the turns alone bring. */
class FifoInTurns extends Fifo {
  override readonly takesTurns = true;
}

const policies = { fifo: Fifo, fifoInTurns: FifoInTurns, staggered: Staggered };
type PolicyName = keyof typeof policies;
export const policyNames = Object.keys(policies) as PolicyName[];

export type Row = Readonly<Record<string, number>>;

function figuresOf(scenario: Scenario, name: PolicyName): SimulationFigures {
  const settings = standardSettings({ poolBytes: scenario.poolBytes });
  const scheduler: Scheduler = new policies[name](settings, standardCosts());
  return measure(scenario, simulate(scenario, scheduler));
}

/** Means over traces. */
function summary(all: readonly SimulationFigures[]): Row {
  const mean = (of: (figures: SimulationFigures) => number) =>
    all.reduce((sum, figures) => sum + of(figures), 0) / all.length;
  return {
    solved: mean((f) => f.solved),
    late: mean((f) => f.late),
    missed: mean((f) => f.missed),
    makespanMs: mean((f) => f.makespanMs),
    busyMs: mean((f) => f.busyMs),
    unitsPerSecond: mean((f) => f.unitsPerSecond),
    latencyP50Ms: mean((f) => f.latencyP50Ms),
    latencyP99Ms: mean((f) => f.latencyP99Ms),
    poolPeakMiB: mean((f) => f.poolPeakBytes / 2 ** 20),
    arenaPeakMiB: mean((f) => f.arenaPeakBytes / 2 ** 20),
    inFlightPeak: mean((f) => f.inFlightPeak),
    etrJobsPeak: mean((f) => f.peaks['etr'] ?? 0),
    orJobsPeak: mean((f) => f.peaks['or'] ?? 0),
    cpuJobsPeak: mean((f) => f.peaks['cpu'] ?? 0),
    overlap: mean((f) => f.overlap),
  };
}

/** Every policy on the same traces; what is over fifo's is `ratios`. */
export function compare(scenarios: readonly Scenario[]) {
  const rows = Object.fromEntries(
    policyNames.map((name) => [name, summary(scenarios.map((scenario) => figuresOf(scenario, name)))]),
  ) as Record<PolicyName, Row>;
  const boundMs = scenarios.reduce((sum, scenario) => sum + busyBoundMs(scenario), 0) / scenarios.length;
  return {
    busyBoundMs: boundMs,
    ...rows,
    ratios: ratios(rows.staggered, rows.fifo),
    gapClosed: gapClosed(rows, boundMs),
  };
}

function ratios(of: Row, to: Row): Row {
  const names = [
    'unitsPerSecond',
    'makespanMs',
    'latencyP50Ms',
    'latencyP99Ms',
    'poolPeakMiB',
    'arenaPeakMiB',
  ];
  return Object.fromEntries(names.map((name) => [name, of[name]! / to[name]!]));
}

/** null where not everything was solved: then the busy times are of different work. */
function gapClosed({ fifo, staggered }: Record<'fifo' | 'staggered', Row>, boundMs: number): number | null {
  if (fifo['solved'] !== staggered['solved']) return null;
  return (fifo['busyMs']! - staggered['busyMs']!) / (fifo['busyMs']! - boundMs);
}
