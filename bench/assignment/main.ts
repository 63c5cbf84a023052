import loadHighs from 'highs';
import { assign } from '#policy/assignment/assign';
import { numberFlag, readFlags, runCommand } from '#lib/command-line';
import type { AssignmentProblem } from '#policy/assignment/problem';
import { linearProgram } from './linear-program';
import { cityProblem, cityShapes, matchingProblem } from './random-problems';

const usage = `npm run --silent bench -- assignment [--problems 200] [--no-highs]
  One JSON line. Matching: 1,000 couriers × 2,000 orders with 100,000 candidates. Packing: random city problems,
  against the MIP of highs unless --no-highs.`;

interface Options {
  readonly problems: number;
  readonly withHighs: boolean;
}

function parse(argv: readonly string[]): Options {
  const flags = readFlags(argv, { problems: { type: 'string' }, 'no-highs': { type: 'boolean' } });
  const problems = numberFlag('problems', flags.problems, { default: 200, min: 1, max: 1_000_000 });
  return { problems, withHighs: flags['no-highs'] !== true };
}

function timed<T>(work: () => T): { result: T; ms: number } {
  const start = performance.now();
  const result = work();
  return { result, ms: performance.now() - start };
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
const quantile = (values: readonly number[], q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? 0;
const round = (value: number, digits = 3) => Number(value.toFixed(digits));

function matching() {
  const shape = { couriers: 1_000, orders: 2_000, candidates: 100_000, maxCost: 10_000, penalty: 20_000 };
  const runs = Array.from({ length: 20 }, (_, seed) => {
    const problem = matchingProblem(seed, shape);
    return timed(() => assign(problem)).ms;
  });
  const [cold] = runs as [number];
  return {
    matchingMsCold: round(cold),
    matchingMsP50: round(quantile(runs, 0.5)),
    matchingMsMax: round(most(runs)),
  };
}

async function packing({ problems, withHighs }: Options) {
  const highs = withHighs ? await loadHighs() : null;
  const gaps = { true: [] as number[], reported: [] as number[] };
  const times: number[] = [];
  let proven = 0;
  for (let seed = 0; seed < problems; seed++) {
    const problem = cityProblem(seed, cityShapes[seed % cityShapes.length]!);
    const { result, ms } = timed(() => assign(problem));
    times.push(ms);
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
      truePercentMean: round(mean(gaps.true)),
      truePercentMax: round(most(gaps.true)),
      optimal: gaps.true.filter((gap) => gap <= 0).length,
      above1Percent: gaps.true.filter((gap) => gap > 1).length,
    }),
    reportedPercentMean: round(mean(gaps.reported)),
    reportedPercentMax: round(most(gaps.reported)),
    proven,
    packingMsP50: round(quantile(times, 0.5)),
    packingMsMax: round(most(times)),
  };
}

function penaltySum(problem: AssignmentProblem): number {
  return problem.penalties.reduce<number>((sum, penalty) => sum + Number(penalty), 0);
}

void runCommand({
  usage,
  parse,
  run: async (options) => console.log(JSON.stringify({ ...matching(), ...(await packing(options)) })),
});
