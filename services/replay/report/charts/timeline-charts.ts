import type { CourierSpan, CourierTimeline, SpanKind } from '../courier-timelines';
import type { ReportSide } from '../report-data';
import { oneView, rounded, topLegend, textTooltip, type Chart } from './chart';

const kinds: Readonly<Record<SpanKind, { readonly name: string; readonly color: string }>> = {
  ride: { name: 'rides', color: '#b0b0b0' },
  pickup: { name: 'pickups, with waiting', color: '#009e73' },
  dropoff: { name: 'drop-offs', color: '#cc79a7' },
};

const clock = (seconds: number): string => `${rounded(seconds / 3_600, 3)} h`;

function nameOf(courierId: string, { kind, from, to, orderIds }: CourierSpan, first: number): string {
  const what = orderIds.length === 0 ? kind : `${kind} of ${orderIds.join(', ')}`;
  return `${courierId}: ${what}, ${clock(from - first)} to ${clock(to - first)}`;
}

function seriesOf(kind: SpanKind, timelines: readonly CourierTimeline[], first: number) {
  const hours = (seconds: number) => rounded((seconds - first) / 3_600, 4);
  return {
    ...{ name: kinds[kind].name, type: 'lines' as const, coordinateSystem: 'cartesian2d' as const },
    lineStyle: { color: kinds[kind].color, width: kind === 'ride' ? 4 : 9, opacity: 1, curveness: 0 },
    itemStyle: { color: kinds[kind].color },
    data: timelines.flatMap(({ courierId, spans }, line) =>
      spans
        .filter((span) => span.kind === kind)
        .map((span) => ({
          name: nameOf(courierId, span, first),
          coords: [
            [hours(span.from), line],
            [hours(span.to), line],
          ],
        })),
    ),
  };
}

/** What couriers do by the plans that were given to them, a line a courier. */
function timelineChart({ name, figures }: ReportSide, couriers: number): Chart | null {
  const timelines = figures.timelines.busiest(couriers);
  if (timelines.length === 0) return null;
  const spans = timelines.flatMap((one) => one.spans);
  const first = spans.reduce((least, { from }) => Math.min(least, from), Infinity);
  const last = spans.reduce((most, { to }) => Math.max(most, to), -Infinity);
  return oneView(
    {
      ...{ id: `timelines-${name.toLowerCase()}`, title: `Couriers of ${name}, by their final plans` },
      ...{ width: 960, height: 110 + 16 * timelines.length },
    },
    {
      ...{
        tooltip: { ...textTooltip },
        legend: topLegend,
        grid: { left: 110, right: 20, top: 40, bottom: 45 },
      },
      xAxis: {
        ...{ type: 'value', min: 0, max: rounded((last - first) / 3_600, 2) },
        ...{ name: 'hours', nameLocation: 'middle', nameGap: 25 },
      },
      yAxis: { type: 'category', inverse: true, data: timelines.map(({ courierId }) => courierId) },
      series: (['ride', 'pickup', 'dropoff'] as const).map((kind) => seriesOf(kind, timelines, first)),
    },
  );
}

export function timelineCharts(sides: readonly ReportSide[], couriers: number): Chart[] {
  return sides.flatMap((side) => timelineChart(side, couriers) ?? []);
}
