import type { RoundId, Seconds } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { applyDecision } from './apply-decision';
import type { DayResult, DayRun } from './day';
import { advanceTo, dayState, type DayState } from './day-state';
import { viewAt } from './round-view';

/**
 * Runs a day in closed loop: every `roundSeconds` what is known goes to `dispatch`, and its decision is
 * carried out with the true times until the next round. Nothing that happens later can reach a round.
 */
export async function simulateDay(run: DayRun): Promise<DayResult> {
  const { day } = run;
  const state = dayState(day);
  const lastPlacement = day.orders.reduce(
    (last, order) => Math.max(last, order.placedAt),
    day.startsAt as number,
  );
  const end = lastPlacement + day.maxRoundsAfterLastOrder * day.roundSeconds;
  let rounds = 0;
  for (let asOf = day.startsAt as number; asOf <= end && !run.signal?.aborted; asOf += day.roundSeconds) {
    await liveTo(state, run, asOf);
    if (state.unplaced.length === 0 && state.open.size === 0 && state.given.size === 0) break;
    const round = roundAt(state, run, asOf as Seconds, rounds);
    if (round.orders.length === 0 && round.policy.prepositioning === undefined) continue;
    const decision = await run.dispatch(round);
    applyDecision(state, round, decision);
    rounds += 1;
    run.onRound?.(round, decision);
  }
  await liveTo(state, run, Infinity);
  return resultOf(state, rounds);
}

async function liveTo(state: DayState, run: DayRun, now: number): Promise<void> {
  advanceTo(state, now);
  const events = state.log.takeEvents(now);
  if (events.length > 0) await run.onEvents?.(events);
}

function roundAt(state: DayState, run: DayRun, asOf: Seconds, index: number): DispatchRound {
  const { day } = run;
  const view = viewAt(state, asOf);
  return {
    tenantId: day.tenantId,
    runId: run.runId,
    roundId: `${day.name}-${String(index).padStart(4, '0')}` as RoundId,
    zoneId: day.zoneId,
    sequence: BigInt(index + 1),
    asOf,
    deadline: run.deadlineAt(),
    space: day.space,
    policy: day.policyAt(view),
    couriers: view.couriers,
    orders: view.orders,
    cancelledOrderIds: [],
    ...(view.demand && { demand: view.demand }),
  };
}

function resultOf(state: DayState, rounds: number): DayResult {
  const { legs, bundles, deliveries } = state.log;
  const delivered = new Set(deliveries.map((delivery) => delivery.orderId));
  const undelivered = state.day.orders.map((o) => o.orderId).filter((id) => !delivered.has(id));
  return { rounds, legs, bundles, deliveries, undelivered };
}
