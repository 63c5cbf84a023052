import { csvTable, textTable } from '../sweep/results-table';
import type { EtrGroup } from './etr-groups';
import type { EtrCounts } from './evaluate';
import type { EtrOptions } from './options';

export const etrHead: readonly [string, ...string[]] = [
  'quantity',
  ...['by', 'name', 'orders', 'MAE s', 'bias s', 'p90 error s'],
  ...['within p50', 'within p90', 'pinball p50', 'pinball p90'],
];

const seconds = (value: number | null): string => (value === null ? '' : value.toFixed(1));
const share = (value: number | null): string => (value === null ? '' : `${(100 * value).toFixed(1)}%`);

export function etrRow({ quantity, by, name, figures }: EtrGroup): [string, ...string[]] {
  const { count, mae, bias, p90Error, within50, within90, pinball50, pinball90 } = figures;
  return [
    quantity,
    ...[by, name, String(count), seconds(mae), seconds(bias), seconds(p90Error)],
    ...[share(within50), share(within90), seconds(pinball50), seconds(pinball90)],
  ];
}

export const etrCsv = (groups: readonly EtrGroup[]): string => csvTable([etrHead, ...groups.map(etrRow)]);

/** Groups that are large enough, of merchants the worst of each quantity. */
export function shownGroups(
  groups: readonly EtrGroup[],
  { least, top }: Pick<EtrOptions, 'least' | 'top'>,
): EtrGroup[] {
  const merchants = new Map<string, number>();
  return groups.filter(({ quantity, by, figures }) => {
    if (by === 'all') return true;
    if (figures.count < least) return false;
    if (by === 'hour') return true;
    const before = merchants.get(quantity) ?? 0;
    merchants.set(quantity, before + 1);
    return before < top;
  });
}

export function etrText(groups: readonly EtrGroup[], counts: EtrCounts, options: EtrOptions): string {
  const { predicted, neverReady, withoutPrediction, observations, assigned, unobserved } = counts;
  return [
    `${predicted} orders were seen before they were ready; of ${neverReady} no round says when they were, ${withoutPrediction} had no prediction`,
    `${observations} observations; ${assigned} orders finally assigned, nothing observed of ${unobserved}`,
    ...(groups.length === 0 ? [] : textTable([etrHead, ...shownGroups(groups, options).map(etrRow)])),
  ].join('\n');
}
