import type { EChartsOption, SeriesOption } from 'echarts';
import type { NamedPlace, NamedWay, RoundMap, XY } from '../round-map';
import { aheadColours, sideColours, still, textTooltip, topLegend, type Chart } from './chart';

const size = { width: 960, height: 640 } as const;
const grid = { left: 70, right: 20, top: 60, bottom: 40 } as const;

function points(name: string, places: readonly NamedPlace[], look: object): SeriesOption {
  return {
    ...{ name, type: 'scatter', symbolSize: 8 },
    data: places.map((place) => ({ name: place.name, value: [...place.at] })),
    ...look,
  };
}

function ways(
  name: string,
  all: readonly NamedWay[],
  color: string,
  type: 'solid' | 'dashed' | 'dotted',
): SeriesOption {
  return {
    ...{ name, type: 'lines', coordinateSystem: 'cartesian2d', polyline: true },
    symbol: ['none', 'arrow'],
    symbolSize: 7,
    lineStyle: { color, type, width: 1.5, opacity: 0.75, curveness: 0 },
    data: all
      .filter(({ way }) => way.length > 1)
      .map(({ name, way }) => ({ name, coords: way.map((at) => [...at]) })),
  };
}

function sideSeries({ sides }: RoundMap): SeriesOption[] {
  return sides.flatMap((side, index) => {
    if (side === null) return [];
    const [name, color] = ['AB'[index]!, sideColours[index]!];
    return [
      ways(`${name}: plans`, side.plans, color, index === 0 ? 'solid' : 'dashed'),
      ways(`${name}: sent ahead`, side.moves, aheadColours[index]!, 'dotted'),
      points(`${name}: left out`, side.leftOut, {
        ...{ symbol: 'emptyCircle', symbolSize: 14 + 6 * index, itemStyle: { color, borderWidth: 2 } },
      }),
    ];
  });
}

/** Both axes with one scale: a degree of longitude is shorter than one of latitude. */
export function axesOf(all: readonly XY[], isGeographic: boolean): Pick<EChartsOption, 'xAxis' | 'yAxis'> {
  const range = (values: readonly number[]) => ({
    least: values.reduce((least, value) => Math.min(least, value)),
    most: values.reduce((most, value) => Math.max(most, value)),
  });
  const [xs, ys] = [range(all.map(([x]) => x)), range(all.map(([, y]) => y))];
  const [midX, midY] = [(xs.least + xs.most) / 2, (ys.least + ys.most) / 2];
  const shrink = isGeographic ? Math.cos((midY * Math.PI) / 180) : 1;
  const [innerX, innerY] = [size.width - grid.left - grid.right, size.height - grid.top - grid.bottom];
  const leastUnit = isGeographic ? 1e-5 : 1;
  const unit =
    Math.max(((xs.most - xs.least) * shrink) / innerX, (ys.most - ys.least) / innerY, leastUnit) * 1.08;
  const [halfX, halfY] = [(unit * innerX) / 2 / shrink, (unit * innerY) / 2];
  const places = isGeographic ? 4 : 0;
  const axis = (middle: number, half: number) => ({
    type: 'value' as const,
    min: Number((middle - half).toFixed(places)),
    max: Number((middle + half).toFixed(places)),
    splitLine: { lineStyle: { color: '#eeeeee' } },
  });
  return { xAxis: axis(midX, halfX), yAxis: axis(midY, halfY) };
}

export function mapOption(map: RoundMap): EChartsOption {
  const { couriers, pickups, dropoffs } = map;
  const all = [...couriers, ...pickups, ...dropoffs].map(({ at }) => at);
  return {
    ...still,
    tooltip: { ...textTooltip },
    legend: { ...topLegend, top: 28 },
    title: { text: map.name, left: 'center', textStyle: { fontSize: 14 } },
    grid,
    ...axesOf(all.length > 0 ? all : [[0, 0]], map.isGeographic),
    series: [
      ...sideSeries(map),
      points('couriers', couriers, { symbol: 'rect', itemStyle: { color: '#333333' } }),
      points('pickups', pickups, { symbol: 'triangle', symbolSize: 10, itemStyle: { color: '#009e73' } }),
      points('drop-offs', dropoffs, { symbol: 'circle', symbolSize: 6, itemStyle: { color: '#cc79a7' } }),
    ],
  };
}

/** A view a round; null where no round can be drawn. */
export function mapChart(maps: readonly RoundMap[]): Chart | null {
  if (maps.length === 0) return null;
  const views = maps.map((map) => ({ name: map.name, option: mapOption(map) }));
  return { id: 'map', title: 'Decisions of rounds', ...size, views };
}
