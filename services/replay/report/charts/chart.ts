import type { EChartsOption } from 'echarts';

/** Options are plain data: they go into the page as JSON, and into SVG files as they are. */
export interface Chart {
  /** Kebab-case; the SVG file's name. */
  readonly id: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** One of them is seen at a time. */
  readonly views: readonly ChartView[];
}

export interface ChartView {
  readonly name: string;
  readonly option: EChartsOption;
}

/** A and B; distinct for readers who see few colours, too. */
export const sideColours = ['#0072b2', '#d55e00'] as const;

/** Couriers sent ahead by A and B: apart from their plans, and from pickups and drop-offs, for such readers, too. */
export const aheadColours = ['#56b4e9', '#e69f00'] as const;

/** Tooltips show a datum's name as text, never as HTML: ids come from others. */
export const textTooltip = { renderMode: 'richText', formatter: '{b}', confine: true } as const;

export const still = { animation: false, backgroundColor: '#ffffff' } as const;

export const rounded = (value: number, places = 2): number => Math.round(value * 10 ** places) / 10 ** places;

export function oneView(chart: Omit<Chart, 'views'>, option: EChartsOption): Chart {
  return { ...chart, views: [{ name: '', option: { ...still, ...option } }] };
}

/** Wide enough for SVG, where texts aren't measured. */
export const topLegend = { top: 4, itemGap: 28, itemWidth: 14 } as const;
