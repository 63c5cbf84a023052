import type { OrderId } from '#schemas/brands';
import type { Assignment, Courier, DecisionContent, DispatchRound } from '#schemas/domain';
import { partialMove } from '../commitment/commitment-stage';

/** What a baseline decides: its assignments, with the drives that they begin, and nothing of shards. */
export function plannedContent(
  round: DispatchRound,
  assignments: readonly Assignment[],
  courierOf: (id: Assignment['courierId']) => Courier,
): DecisionContent {
  const chosen = new Set<OrderId>(assignments.flatMap(({ orderIds }) => orderIds));
  return {
    assignments,
    moves: assignments
      .filter(({ stage }) => stage === 'partial')
      .map(({ stops, courierId, orderIds }) => partialMove(stops, round, courierOf(courierId), orderIds)!),
    unassigned: round.orders
      .filter(({ orderId }) => !chosen.has(orderId))
      .map(({ orderId }) => ({ orderId, reason: 'no_feasible_courier' as const })),
    shards: [],
    candidatesTotal: assignments.length,
    candidatesArrived: assignments.length,
    coverage: 1,
    closedBy: 'complete',
    assignmentGap: 0n,
    models: [],
  };
}
