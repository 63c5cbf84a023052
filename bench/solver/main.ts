import { numberFlag, readFlags, runCommand } from '#lib/command-line';
import { RoutePlanner } from '#native/planner/route-planner';
import { projectPath } from '#schemas/project-root';
import { generatedSets, sampleSets, type ProblemSet } from './problem-sets';

/** Plans per second and core of a branch and bound with a simple bound: the table of ../shared/or/README.md. */
const reference: Readonly<Record<string, number>> = {
  city_n2: 3_900_000,
  city_n3: 648_000,
  city_n4: 186_000,
  city_n5: 34_000,
  city_n6: 6_400,
};

let planner: RoutePlanner;
const rounded = (value: number, digits = 3) => Number(value.toPrecision(digits));

function speeds({ problems }: ProblemSet, seconds: number) {
  const solve = planner.measure(problems, 'solve', seconds);
  const whole = planner.measure(problems, 'prepareAndSolve', seconds / 2);
  return {
    plansPerSecond: Math.round(solve.plans / solve.seconds),
    withPreparationPerSecond: Math.round(whole.plans / whole.seconds),
    nodesMean: rounded(solve.nodes / problems.length),
    nodesMax: solve.mostNodes,
  };
}

function measureExact(set: ProblemSet, seconds: number): object {
  const measured = speeds(set, seconds);
  const enumeration = planner.measure(set.problems, 'enumeration', seconds / 2);
  const enumerationPerSecond = enumeration.plans / enumeration.seconds;
  const expected = reference[set.name];
  return {
    ...measured,
    enumerationPerSecond: rounded(enumerationPerSecond, 4),
    timesEnumeration: rounded(measured.plansPerSecond / enumerationPerSecond),
    ...(expected === undefined ? {} : { ofReference: rounded(measured.plansPerSecond / expected) }),
  };
}

/** To enumerate the routes of one problem of 7 orders takes minutes. */
const MAX_ENUMERATED_ORDERS = 6;

function measureOf({ orders }: ProblemSet): (set: ProblemSet, seconds: number) => object {
  return orders > MAX_ENUMERATED_ORDERS ? measureHeuristic : measureExact;
}

function gapsPercent({ problems }: ProblemSet): number[] {
  const exact = planner.solveProblems(problems, { exact: true });
  return planner.solveProblems(problems).map(({ cost }, index) => {
    const least = exact[index]!.cost;
    return least === 0n ? 0 : (100 * Number(cost - least)) / Number(least);
  });
}

function measureHeuristic(set: ProblemSet, seconds: number): object {
  const gaps = gapsPercent(set);
  return {
    ...speeds(set, seconds),
    gapMeanPercent: rounded(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length),
    gapMaxPercent: rounded(Math.max(...gaps)),
    optimalPercent: rounded((100 * gaps.filter((gap) => gap === 0).length) / gaps.length),
  };
}

const usage = `npm run --silent bench -- solver [--seconds 1] [--shared DIR]
  One JSON line a set of problems: plans per second, and gaps beyond 6 orders.
  --seconds S     of processor time a measurement (default 1)
  --shared DIR    where or/ with the sample sets lies (default SHARED_DIR, else ../shared)`;

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const { seconds, shared } = readFlags(argv, { seconds: text, shared: text });
  return {
    seconds: numberFlag('seconds', seconds, { default: 1, min: 0.01, max: 3_600, whole: false }),
    shared: shared ?? process.env['SHARED_DIR'] ?? projectPath('..', 'shared'),
  };
}

function bench({ seconds, shared }: ReturnType<typeof parse>): void {
  planner = new RoutePlanner();
  const samples = sampleSets(`${shared}/or`);
  if (samples.length === 0) console.error(`no samples in ${shared}/or: our own problems stand in for them`);
  const exactSets = samples.length > 0 ? samples : generatedSets([2, 3, 4, 5, 6], 40);
  for (const set of [...exactSets, ...generatedSets([7, 8], 200)]) {
    const { name, orders, problems } = set;
    const figures = measureOf(set)(set, seconds);
    console.log(
      JSON.stringify({ bench: 'solver', set: name, orders, problems: problems.length, ...figures }),
    );
  }
}

void runCommand({ usage, parse, run: bench });
