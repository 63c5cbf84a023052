import loadHighs from 'highs';
import { assign } from '#policy/assignment/assign';
import type { AssignmentProblem } from '#policy/assignment/problem';
import { workBudgetOf } from '#policy/join/decide-round';
import { percentile, round } from '../pipeline/statistics';
import { linearProgram } from './linear-program';
import { cityProblem, cityShapes, largeProblem, type LargeShape } from './random-problems';
import { timed } from './timed';

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

/** Random city problems against the MIP of highs, with the default budget. */
export async function measurePacking(problems: number, withHighs: boolean) {
  const highs = withHighs ? await loadHighs() : null;
  const gaps = { true: [] as number[], reported: [] as number[] };
  const times: number[] = [];
  let proven = 0;
  for (let seed = 0; seed < problems; seed++) {
    if (seed % 10 === 0) console.error(`packing: ${seed} of ${problems}`);
    const problem = cityProblem(seed, cityShapes[seed % cityShapes.length]!);
    const { result, cpuMs } = timed(() => assign(problem));
    times.push(cpuMs);
    const cost = Number(result.cost);
    gaps.reported.push((100 * Number(result.gap)) / cost);
    if (result.gap === 0n) proven++;
    if (highs === null) continue;
    const { ObjectiveValue } = highs.solve(linearProgram(problem, 'binary'), { mip_rel_gap: 0 });
    const optimum = Math.round(penaltySum(problem) + ObjectiveValue);
    gaps.true.push((100 * (cost - optimum)) / optimum);
  }
  return {
    problems,
    ...(highs && {
      truePercentMean: round(mean(gaps.true), 3),
      truePercentMax: round(most(gaps.true), 3),
      optimal: gaps.true.filter((gap) => gap <= 0).length,
      above1Percent: gaps.true.filter((gap) => gap > 1).length,
    }),
    reportedPercentMean: round(mean(gaps.reported), 3),
    reportedPercentMax: round(most(gaps.reported), 3),
    proven,
    packingCpuMsP50: round(percentile(times, 0.5)),
    packingCpuMsMax: round(most(times)),
  };
}

const largeShapes: readonly LargeShape[] = [
  { places: 10, ordersPerPlace: 20, couriersPerPlace: 20, maxBundle: 2 },
  { places: 20, ordersPerPlace: 20, couriersPerPlace: 24, maxBundle: 2 },
  { places: 24, ordersPerPlace: 20, couriersPerPlace: 40, maxBundle: 2 },
  { places: 30, ordersPerPlace: 20, couriersPerPlace: 80, maxBundle: 2 },
  { places: 10, ordersPerPlace: 20, couriersPerPlace: 38, maxBundle: 3 },
];

/** Within the budget of a round. `overPercent`: above the least cost that this or twenty times the budget finds. */
export function measureLarge() {
  return largeShapes.map((shape) => {
    const problem = largeProblem(1, shape);
    const candidates = problem.candidates.length;
    console.error(`packing: ${candidates} candidates`);
    const workBudget = workBudgetOf([candidates]);
    const { result, ms, cpuMs } = timed(() => assign(problem, { workBudget, closeEnough: 0.002 }));
    const longer = assign(problem, { workBudget: 20 * workBudget }).cost;
    const percent = (part: bigint) => round((100 * Number(part)) / Number(result.cost), 3);
    const { gap, cost } = result;
    const times = { ms: round(ms), cpuMs: round(cpuMs) };
    return {
      candidates,
      ...times,
      gapPercent: percent(gap),
      overPercent: percent(cost > longer ? cost - longer : 0n),
    };
  });
}

function penaltySum(problem: AssignmentProblem): number {
  return problem.penalties.reduce<number>((sum, penalty) => sum + Number(penalty), 0);
}
