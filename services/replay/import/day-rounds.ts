import { setImmediate } from 'node:timers/promises';
import { RoutePlanner } from '#native/planner/route-planner';
import type { Day } from '#policy/simulation/day';
import { directDispatch } from '#policy/simulation/direct-dispatch';
import { simulateDay } from '#policy/simulation/simulate-day';
import type { RunId, UnixMs } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { CANDIDATE_COST_MODEL } from '#schemas/tensors';
import { IMPORTED_LEAD_MS } from './imported-rounds';

const models = [{ name: CANDIDATE_COST_MODEL, version: '0', contentHash: '0'.repeat(64) }];

/** Domain time as if it were Unix time: rounds are as far apart as they are in the day. */
function withDeadline(round: DispatchRound): DispatchRound {
  return { ...round, deadline: (round.asOf * 1_000 + IMPORTED_LEAD_MS) as UnixMs };
}

/**
 * The rounds of a day in closed loop: what couriers hold follows from how the rounds before were decided, here
 * by the reference policy with the planner's own costs. All times of the day must be known.
 */
export async function dayRounds(
  day: Day,
  signal: AbortSignal,
  take: (round: DispatchRound) => void,
): Promise<void> {
  const planner = new RoutePlanner();
  const dispatch = directDispatch({ models, costShard: (shard) => planner.costShard(shard.tensors) });
  await simulateDay({
    day,
    runId: 'imported' as RunId,
    deadlineAt: () => 0 as UnixMs,
    dispatch: async (round) => {
      await setImmediate(); // A stop signal is heard between rounds.
      return dispatch(round);
    },
    signal,
    onRound: (round) => take(withDeadline(round)),
  });
  signal.throwIfAborted();
}
