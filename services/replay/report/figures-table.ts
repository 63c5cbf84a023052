import { quantile } from '#policy/simulation/statistics';
import type { ReportSide } from './report-data';
import { measures, type Measure, type RoundPoint } from './side-figures';

export type TableRow = readonly [string, ...string[]];

const shown = (value: number): string => String(Math.round(value * 100) / 100);

function quantiles(values: readonly number[]): string {
  if (values.length === 0) return '–';
  return [0.5, 0.9, 0.99].map((part) => shown(quantile(values, part))).join(' / ');
}

const ms = (side: ReportSide, of: (point: RoundPoint) => number | null): number[] =>
  side.figures.points.values.flatMap((point) => of(point) ?? []);

function reasonsOf({ figures }: ReportSide): string {
  return [...figures.reasons].map(([reason, count]) => `${reason} ${count}`).join(', ') || 'none';
}

const rows: readonly (readonly [string, (side: ReportSide) => string])[] = [
  ['folder', ({ folder, kind }) => `${folder} (${kind})`],
  ['rounds decided', ({ figures }) => String(figures.decided)],
  ['without a decision', ({ figures }) => String(figures.undecided)],
  ['behind the deadline', ({ figures }) => String(figures.late)],
  ['closed by deadline', ({ figures }) => String(figures.closedByDeadline)],
  ['orders assigned', ({ figures }) => String(figures.assigned)],
  ['orders left out', ({ figures }) => String(figures.leftOut)],
  ['reasons', reasonsOf],
  ['cost', ({ figures }) => String(figures.cost)],
  ['latency p50 / p90 / p99, ms', (side) => quantiles(ms(side, ({ tookMs }) => tookMs))],
  ...(Object.keys(measures) as Measure[]).map(
    (measure) =>
      [
        `planned ${measures[measure]}, p50 / p90 / p99`,
        ({ figures }: ReportSide) => quantiles(figures.samples[measure].values),
      ] as const,
  ),
];

/** A head and a row a figure, a column a side. */
export function figuresTable(sides: readonly ReportSide[]): TableRow[] {
  return [
    ['', ...sides.map(({ name }) => name)],
    ...rows.map(([name, of]) => [name, ...sides.map(of)] as TableRow),
  ];
}
