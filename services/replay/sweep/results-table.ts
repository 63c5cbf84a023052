import { mean } from '#policy/simulation/statistics';
import { meanOf, type HeldOut, type PointResults } from './leave-out';
import type { JudgedBy } from './options';
import type { Point } from './points';

const columns = [
  ...(['penalisedClickToDoor', 'undeliveredPct', 'clickToDoor', 'overage', 'readyToPickup'] as const),
  'costPerOrder',
] as const;

const unchanged = 'as it is';

export const pointText = (point: Point): string =>
  Object.entries(point)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ') || unchanged;

const shown = (value: number | null): string => (value === null ? '' : value.toFixed(3));

const namesOf = (points: readonly PointResults[]): string[] => [
  ...new Set(points.flatMap(({ point }) => Object.keys(point))),
];

const cellOf = (point: Point, name: string): string => {
  if (Object.keys(point).length === 0) return unchanged;
  return point[name] === undefined ? '' : JSON.stringify(point[name]);
};

/**
 * A head, then a row a point: its values, the means over all days, mean seconds a day. The policy that nothing is
 * changed of says so.
 */
export function tableRows(
  points: readonly PointResults[],
  by: JudgedBy,
  days: readonly string[],
): string[][] {
  const names = namesOf(points);
  const figures = [...new Set([by, ...columns])];
  const rows = points.map((one) => [
    ...names.map((name) => cellOf(one.point, name)),
    ...figures.map((figure) => shown(meanOf(one, figure, days))),
    shown(mean([...one.days.values()].map(({ seconds }) => seconds))),
  ]);
  return [[...names, ...figures, 'seconds'], ...rows];
}

export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => cell.padStart(widths[at]!)).join('  '));
}

/** A name that a spreadsheet would run as a formula is shown as text by it; numbers with a sign stay. */
const asText = (cell: string): string =>
  /^[=+\-@\t\r]/.test(cell) && !/^[+-]?[\d.]+%?$/.test(cell) ? `'${cell}` : cell;

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export function csvTable(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map((cell) => quoted(asText(cell))).join(',')}\n`).join('');
}

/** What a choice by some days is worth on others. */
export function heldOutLines(heldOut: readonly HeldOut[]): string[] {
  if (heldOut.length === 0) return [];
  const lines = heldOut.map(
    ({ days, chosen, othersMean, heldOutMean, asItIs }) =>
      `  ${days.join(', ')}: ${pointText(chosen)}, others ${shown(othersMean)}, held out ${shown(heldOutMean)}, as it is ${shown(asItIs)}`,
  );
  const all = mean(heldOut.flatMap(({ days, heldOutMean }) => days.map(() => heldOutMean)));
  const before = heldOut.flatMap(({ days, asItIs }) => (asItIs === null ? [] : days.map(() => asItIs)));
  const total = `  mean over days, each by a choice without it: ${shown(all)}; as it is ${shown(mean(before))}`;
  return ['chosen without these days:', ...lines, total];
}
