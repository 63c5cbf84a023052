import type { RunId } from '#schemas/brands';
import { CANDIDATE_COST_MODEL } from '#schemas/tensors';
import { RoutePlanner } from '#native/planner/route-planner';
import type { Dispatch, DayResult } from '#policy/simulation/day';
import { directDispatch } from '#policy/simulation/direct-dispatch';
import { simulateDay } from '#policy/simulation/simulate-day';
import { quantile } from '#policy/simulation/statistics';
import type { UnixMs } from '#schemas/brands';
import type { PlannedDay } from '../../launcher/day/planned-day';

const models = [{ name: CANDIDATE_COST_MODEL, version: '0', contentHash: '0'.repeat(64) }];

/** Cut, cost and decide in this process; the costs come from the backend's own algorithm. */
export function plannerDispatch(planner = new RoutePlanner()): Dispatch {
  return directDispatch({ models, costShard: (shard) => planner.costShard(shard.tensors) });
}

export interface TimedDay {
  readonly result: DayResult;
  readonly decisionMsP50: number;
  readonly decisionMsP99: number;
}

export async function timedDay({ day }: PlannedDay, dispatch: Dispatch): Promise<TimedDay> {
  const times: number[] = [];
  const result = await simulateDay({
    day,
    runId: 'bench' as RunId,
    deadlineAt: () => Number.MAX_SAFE_INTEGER as UnixMs,
    dispatch: async (round) => {
      const startedAt = performance.now();
      const decision = await dispatch(round);
      times.push(performance.now() - startedAt);
      return decision;
    },
  });
  return { result, decisionMsP50: quantile(times, 0.5), decisionMsP99: quantile(times, 0.99) };
}
