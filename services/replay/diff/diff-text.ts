import { unassignedReasons } from '#schemas/domain';
import type { OrderChange, RoundDifference } from './compare-rounds';
import type { DiffFigures } from './diff-summary';

export const signed = (value: bigint): string => (value > 0n ? `+${value}` : String(value));

export function percent(part: bigint, of: bigint): string {
  if (of === 0n) return '';
  return ` (${part > 0n ? '+' : ''}${(Number((part * 1_000_000n) / (of < 0n ? -of : of)) / 10_000).toFixed(2)}%)`;
}

const mostOrders = 5;

export function orderText({ orderId, change, a, b }: OrderChange): string {
  return `${orderId} ${change}: ${a} -> ${b}`;
}

export function roundText(difference: RoundDifference): string {
  const { roundId, zoneId, orders, elsewhere, costA, costB, lateByMsA, lateByMsB, errors } = difference;
  const more = orders.length > mostOrders ? [`… ${orders.length} orders in all`] : [];
  const late = (side: string, ms: number | null): string[] =>
    ms !== null && ms > 0 ? [`${side} late by ${ms} ms`] : [];
  const parts = [
    ...errors,
    `cost ${costA} -> ${costB} (${signed(costB - costA)})`,
    ...late('A', lateByMsA),
    ...late('B', lateByMsB),
    ...(elsewhere.length > 0 ? [`differs in ${elsewhere.join(', ')}`] : []),
    ...orders.slice(0, mostOrders).map(orderText),
    ...more,
  ];
  return `  ${roundId}${zoneId === '' ? '' : ` of ${zoneId}`}: ${parts.join('; ')}`;
}

function reasonLines({ a, b }: DiffFigures): string[] {
  return unassignedReasons
    .filter((reason) => (a.reasons[reason] ?? 0) + (b.reasons[reason] ?? 0) > 0)
    .map((reason) => `    ${reason}: ${a.reasons[reason] ?? 0} -> ${b.reasons[reason] ?? 0}`);
}

export const mean = (sum: number, count: number): string => (count === 0 ? '–' : (sum / count).toFixed(4));

export function comparedText({
  compared,
  changed,
  redispatched,
  missingInA,
  missingInB,
}: DiffFigures): string {
  return `${compared} rounds decided by both, ${changed} of them otherwise, ${redispatched} with orders that fare otherwise; ${missingInB} only by A, ${missingInA} only by B`;
}

/** Of a person's reading; `--json` has the same for programs. */
export function diffText(folders: readonly [string, string], figures: DiffFigures): string {
  const { orders, a, b, worst } = figures;
  const lines = [
    `A ${folders[0]}, B ${folders[1]}`,
    comparedText(figures),
    `  orders: ${orders.moved} moved to another courier, ${orders.lost} lost, ${orders.gained} gained, ${orders.reason} left out for another reason, ${orders.replanned} replanned, ${orders.stage} committed to otherwise`,
    `  cost: ${a.cost} -> ${b.cost}, ${signed(b.cost - a.cost)}${percent(b.cost - a.cost, a.cost)}`,
    `  assigned: ${a.assigned} -> ${b.assigned}; left out: ${a.unassigned} -> ${b.unassigned}`,
    ...reasonLines(figures),
    `  late: ${a.late} -> ${b.late}; closed by deadline: ${a.closedByDeadline} -> ${b.closedByDeadline}; mean coverage: ${mean(a.coverageSum, a.decisions)} -> ${mean(b.coverageSum, b.decisions)}`,
    ...(worst.length > 0 ? ['the worst rounds', ...worst.map(roundText)] : []),
  ];
  return lines.join('\n');
}
