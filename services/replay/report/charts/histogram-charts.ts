import { quantile } from '#policy/simulation/statistics';
import type { ReportSide } from '../report-data';
import { measures, type Measure } from '../side-figures';
import { oneView, rounded, topLegend, sideColours, type Chart } from './chart';

const mostBins = 30;

/** Of all sides together: equal bins up to the 99.5th percentile; the last takes what is above. */
export function binsOf(
  values: readonly number[],
  isWhole: boolean,
): { from: number; width: number; count: number } {
  const from = Math.floor(values.reduce((least, value) => Math.min(least, value), Infinity));
  const span = Math.max(quantile(values, 0.995) - from, 1e-9);
  const widths = isWhole
    ? [1, 2, 5, 10, 20, 50, 100]
    : [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 500, 1_000, 10_000];
  const width = widths.find((one) => span / one <= mostBins) ?? span / mostBins;
  return { from, width, count: Math.floor(span / width) + 1 };
}

function shares(values: readonly number[], { from, width, count }: ReturnType<typeof binsOf>): number[] {
  const counts = new Array<number>(count).fill(0);
  for (const value of values) counts[Math.min(count - 1, Math.floor((value - from) / width))]! += 1;
  return counts.map((one) => rounded((100 * one) / Math.max(1, values.length)));
}

function histogram(measure: Measure, sides: readonly ReportSide[]): Chart | null {
  const samples = sides.map(({ figures }) => figures.samples[measure].values);
  const all = samples.flat();
  if (all.length === 0) return null;
  const isWhole = measure === 'ordersOfPlan';
  const bins = binsOf(all, isWhole);
  const names = Array.from({ length: bins.count }, (_, at) => String(rounded(bins.from + at * bins.width)));
  const id = measure.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return oneView(
    { id, title: `Planned ${measures[measure]}`, width: 470, height: 300 },
    {
      tooltip: { renderMode: 'richText', trigger: 'axis' },
      legend: topLegend,
      grid: { left: 50, right: 10, top: 40, bottom: 40 },
      xAxis: { type: 'category', data: names, name: measures[measure], nameLocation: 'middle', nameGap: 25 },
      yAxis: { type: 'value', name: '%' },
      series: sides.map(({ name }, at) => ({
        ...{ name, type: 'bar' as const, itemStyle: { color: sideColours[at]! } },
        data: shares(samples[at]!, bins),
      })),
    },
  );
}

export function histogramCharts(sides: readonly ReportSide[]): Chart[] {
  return (Object.keys(measures) as Measure[]).flatMap((measure) => histogram(measure, sides) ?? []);
}
