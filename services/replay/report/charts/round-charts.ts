import type { ReportSide } from '../report-data';
import type { RoundPoint } from '../side-figures';
import { oneView, rounded, topLegend, sideColours, textTooltip, type Chart } from './chart';

const size = { width: 960, height: 320 } as const;
const grid = { left: 80, right: 20, top: 40, bottom: 45 } as const;
const roundAxis = {
  type: 'value',
  name: 'rounds, in their order',
  nameLocation: 'middle',
  nameGap: 25,
} as const;

type Value = (point: RoundPoint) => number | null;

/** A dot a round. */
function overRounds(
  id: string,
  title: string,
  unit: string,
  sides: readonly ReportSide[],
  of: Value,
): Chart | null {
  const series = sides.map(({ name, figures }, at) => ({
    ...{ name, type: 'scatter' as const, symbolSize: 4, itemStyle: { color: sideColours[at]! } },
    data: figures.points.values.flatMap((point) => {
      const value = of(point);
      const text = `${name} ${point.roundId}: ${rounded(value ?? 0)} ${unit}`;
      return value === null ? [] : [{ name: text, value: [point.index, rounded(value)] }];
    }),
  }));
  if (series.every(({ data }) => data.length === 0)) return null;
  return oneView(
    { id, title, ...size },
    {
      tooltip: { ...textTooltip },
      legend: topLegend,
      grid,
      xAxis: roundAxis,
      yAxis: { type: 'value', name: unit },
      series,
    },
  );
}

const mostSteps = 400;

/** How many rounds in a hundred took at most so long: the quantiles of what is kept. */
function distribution(id: string, title: string, sides: readonly ReportSide[], of: Value): Chart | null {
  const series = sides.map(({ name, figures }, at) => {
    const values = figures.points.values.flatMap((point) => of(point) ?? []).sort((a, b) => a - b);
    const step = Math.max(1, Math.ceil(values.length / mostSteps));
    const kept = values.map((value, index) => [rounded(value), rounded((100 * (index + 1)) / values.length)]);
    return {
      ...{ name, type: 'line' as const, step: 'end' as const, showSymbol: false },
      ...{ itemStyle: { color: sideColours[at]! } },
      data: kept.filter((_, index) => index % step === 0 || index === kept.length - 1),
    };
  });
  if (series.every(({ data }) => data.length === 0)) return null;
  return oneView(
    { id, title, ...size },
    {
      ...{ tooltip: { renderMode: 'richText', trigger: 'axis' }, legend: topLegend, grid, series },
      xAxis: { type: 'value', name: 'ms', nameLocation: 'middle', nameGap: 25, scale: true },
      yAxis: { type: 'value', name: '% of rounds', max: 100 },
    },
  );
}

/** Latencies, deadlines, costs and orders left out of rounds. */
export function roundCharts(sides: readonly ReportSide[]): Chart[] {
  const took: Value = ({ tookMs }) => tookMs;
  return [
    overRounds('latency', 'Latency of rounds', 'ms', sides, took),
    distribution('latency-distribution', 'Latency: share of rounds', sides, took),
    distribution('deadline', 'Behind the deadline (negative: before it)', sides, ({ lateByMs }) => lateByMs),
    overRounds('cost', 'Cost of rounds: plans and orders left out', 'cost', sides, ({ cost }) => cost),
    overRounds('left-out', 'Orders left out', 'orders', sides, ({ leftOut }) => leftOut),
  ].flatMap((chart) => chart ?? []);
}
