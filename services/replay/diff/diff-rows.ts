import { unassignedReasons } from '#schemas/domain';
import type { RoundDifference } from './compare-rounds';
import type { DiffFigures } from './diff-summary';
import { mean, orderText, percent, signed } from './diff-text';

/** A head and rows of cells. */
export type DiffRows = readonly (readonly [string, ...string[]])[];

const change = (a: number, b: number): string => signed(BigInt(b - a));

/** What A and B come to, a row a figure, over the rounds that both decided. */
export function figureRows({ a, b }: DiffFigures): DiffRows {
  const counted = (name: string, left: number, right: number) =>
    [name, String(left), String(right), change(left, right)] as const;
  const costs = b.cost - a.cost;
  return [
    ['', 'A', 'B', 'B against A'],
    ['cost', String(a.cost), String(b.cost), `${signed(costs)}${percent(costs, a.cost)}`],
    counted('orders assigned', a.assigned, b.assigned),
    counted('orders left out', a.unassigned, b.unassigned),
    ...unassignedReasons
      .filter((reason) => (a.reasons[reason] ?? 0) + (b.reasons[reason] ?? 0) > 0)
      .map((reason) => counted(`– ${reason}`, a.reasons[reason] ?? 0, b.reasons[reason] ?? 0)),
    counted('behind the deadline', a.late, b.late),
    counted('closed by deadline', a.closedByDeadline, b.closedByDeadline),
    ['mean coverage', mean(a.coverageSum, a.decisions), mean(b.coverageSum, b.decisions), ''],
  ];
}

const changeNames = {
  moved: 'moved to another courier',
  lost: 'lost',
  gained: 'gained',
  reason: 'left out for another reason',
  replanned: 'replanned',
  stage: 'committed to otherwise',
} as const;

/** Orders by what became of them. */
export function orderRows({ orders }: DiffFigures): DiffRows {
  const kinds = Object.keys(changeNames) as (keyof typeof changeNames)[];
  return [['orders', 'how many'], ...kinds.map((kind) => [changeNames[kind], String(orders[kind])] as const)];
}

const mostOrders = 5;

function whatChanged({ errors, elsewhere, orders, lateByMsA, lateByMsB }: RoundDifference): string {
  const late = (side: string, ms: number | null) =>
    ms !== null && ms > 0 ? [`${side} late by ${ms} ms`] : [];
  return [
    ...errors,
    ...late('A', lateByMsA),
    ...late('B', lateByMsB),
    ...(elsewhere.length > 0 ? [`differs in ${elsewhere.join(', ')}`] : []),
    ...orders.slice(0, mostOrders).map(orderText),
    ...(orders.length > mostOrders ? [`… ${orders.length} orders in all`] : []),
  ].join('\n');
}

/** The dearest rounds for B first, a line an order. */
export function worstRows({ worst }: DiffFigures): DiffRows {
  return [
    ['round', 'zone', 'cost of A', 'of B', 'B against A', 'what changed'],
    ...worst.map((one) => {
      const { roundId, zoneId, costA, costB } = one;
      const costs = [String(costA), String(costB), signed(costB - costA)];
      return [roundId, zoneId, ...costs, whatChanged(one)] as const;
    }),
  ];
}
