import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseProblem } from '#native/planner/parse-problem';
import type { RouteProblem } from '#native/planner/route-problem';
import { cityProblems } from './city-problems';

export interface ProblemSet {
  readonly name: string;
  readonly orders: number;
  readonly problems: readonly RouteProblem[];
}

const samples = ['city_n2', 'city_n3', 'city_n4', 'city_n5', 'city_n6', 'worst_n5', 'edge_n6'];

function readSet(file: string): RouteProblem[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => parseProblem(line).problem);
}

/** The sample files that are in `folder`; none if it is not there. */
export function sampleSets(folder: string): ProblemSet[] {
  return samples
    .map((name) => ({ name, file: join(folder, `${name}.jsonl`) }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => {
      const problems = readSet(file);
      return { name, orders: problems[0]!.orders.length, problems };
    });
}

/** Our own problems: a part of the orders on board, or (`empty`) none, which is the largest tree. */
export function generatedSets(sizes: readonly number[], count: number): ProblemSet[] {
  return sizes.flatMap((orders) => [
    { name: `generated_n${orders}`, orders, problems: cityProblems(100 + orders, count, orders, 40) },
    { name: `generated_empty_n${orders}`, orders, problems: cityProblems(200 + orders, count, orders, 0) },
  ]);
}
