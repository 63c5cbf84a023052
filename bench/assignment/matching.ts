import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { assign } from '#policy/assignment/assign';
import { tableOf } from '#policy/assignment/problem';
import { warmUpSteps } from '#policy/assignment/warm-up';
import { percentile, round } from '../pipeline/statistics';
import { matchingProblem } from './random-problems';
import { timed } from './timed';

const shape = { couriers: 1_000, orders: 2_000, candidates: 100_000, maxCost: 10_000, penalty: 20_000 };

/** Milliseconds of the first call in a fresh thread, which has compiled nothing. */
async function firstCall(seed: number, warm: boolean): Promise<number> {
  const thread = new Worker(__filename, { workerData: { seed, warm } });
  const [ms] = (await once(thread, 'message')) as [number];
  return ms;
}

async function firstCalls(count: number, warm: boolean): Promise<number[]> {
  const all: number[] = [];
  for (let seed = 0; seed < count; seed++) all.push(await firstCall(seed, warm));
  return all;
}

/** 1,000 couriers × 2,000 orders with 100,000 candidates, single orders, in columns as the aggregator has them. */
export async function measureMatching(problems: number, calls: number) {
  const cold = await firstCalls(calls, false);
  const warmed = await firstCalls(calls, true);
  const runs = Array.from({ length: problems }, (_, seed) => {
    const problem = tableOf(matchingProblem(seed, shape));
    return timed(() => assign(problem)).ms;
  });
  return {
    matchingMsColdP50: round(percentile(cold, 0.5)),
    matchingMsColdMax: round(Math.max(...cold)),
    matchingMsWarmedP50: round(percentile(warmed, 0.5)),
    matchingMsWarmedMax: round(Math.max(...warmed)),
    matchingMsP50: round(percentile(runs, 0.5)),
    matchingMsP99: round(percentile(runs, 0.99)),
  };
}

if (!isMainThread && parentPort) {
  const { seed, warm } = workerData as { seed: number; warm: boolean };
  const problem = tableOf(matchingProblem(seed, shape));
  if (warm) for (const solution of warmUpSteps()) void solution;
  parentPort.postMessage(timed(() => assign(problem)).ms);
}
