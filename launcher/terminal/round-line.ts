import type { DecisionContent, DispatchRound } from '#schemas/domain';
import type { RoundReport } from '../day/dispatched-rounds';

/** `1d 09:05` from the second day on. */
export function clockOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(minutes / 1440);
  const clock = `${two(Math.floor(minutes / 60) % 24)}:${two(((minutes % 60) + 60) % 60)}`;
  return days > 0 ? `${days}d ${clock}` : clock;
}

/** The words of a round's line, once before the first. */
export const legend = `  open: orders to give; coverage: share of the candidates that came back costed; decided: from handing the round
  in to holding its decision, of the time it had; given: couriers that got orders for good; sent ahead: couriers
  that ride to a restaurant while the set of their orders stays open (docs/glossary.md)`;

/** One line for one round. */
export function roundLine({ round, decision, decisionMs, deadlineMs, late, outage }: RoundReport): string {
  const held = new Set(round.couriers.flatMap((courier) => courier.held.map(({ orderId }) => orderId)));
  const parts = [
    clockOf(round.asOf),
    `open ${pad(round.orders.length - held.size, 3)}`,
    `couriers ${pad(round.couriers.length, 3)}`,
    `shards ${pad(decision.shards.length, 2)}`,
    `candidates ${pad(decision.candidatesTotal, 5)}`,
    `coverage ${pad(Math.floor(100 * decision.coverage), 3)}%`,
    `decided ${pad(Math.round(decisionMs), 4)} of ${Math.round(deadlineMs)} ms`,
    stagesOf(decision),
  ];
  const notes = [...shardNotes(decision), ...leftOut(round, decision)];
  if (decision.closedBy === 'deadline') notes.unshift('closed by deadline');
  if (late) notes.unshift('LATE');
  if (outage !== null) notes.unshift(`after an outage (${outage})`);
  return [parts.join('  '), ...notes].join('  | ');
}

function pad(value: number, width: number): string {
  return String(value).padStart(width);
}

function stagesOf({ assignments, moves }: DecisionContent): string {
  const given = assignments.filter(({ orderIds, stage }) => orderIds.length > 0 && stage === 'final');
  return `given ${pad(given.length, 3)}  sent ahead ${pad(moves.length, 2)}`;
}

/** Every shard that did not come in as solved, with its reason. */
function shardNotes({ shards }: DecisionContent): string[] {
  return shards
    .filter(({ status }) => status !== 'solved')
    .map(
      ({ shardIndex, status, errorCode }) =>
        `shard ${shardIndex} ${status}${errorCode ? `: ${errorCode}` : ''}`,
    );
}

/** Reasons of orders left out that have to do with the pipeline, not with the day. */
const ordinary: ReadonlySet<string> = new Set(['cheaper_to_wait', 'no_feasible_courier', 'cancelled']);

function leftOut(_round: DispatchRound, { unassigned }: DecisionContent): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of unassigned) {
    if (!ordinary.has(reason)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${count} left out: ${reason}`);
}
