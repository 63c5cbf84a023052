import type { JSX } from 'preact';
import type { Snapshot } from '../../console/messages';
import { Dialog } from './dialog';
import type { FigureSpec, SeriesSpec } from './figure-specs';
import { clock, text } from './format';
import { largest, linePath, niceTicks } from './scale';

const slots = 150;
const box = { width: 640, height: 200 };
const left = 64;

interface ChartProps {
  readonly spec: FigureSpec;
  readonly view: Snapshot;
}

/** Ratios have an axis to 100% where that is the most they can be. */
function ticksOf({ spec, view }: ChartProps): number[] {
  const most = Math.max(...spec.series.map(({ id, floor }) => largest(view.history.figures[id], floor)));
  return niceTicks(most, 4);
}

function Chart({ spec, view }: ChartProps): JSX.Element {
  const ticks = ticksOf({ spec, view });
  const top = ticks.at(-1)!;
  const { at } = view.history;
  const begin = clock(view.at - (slots - 1) * view.intervalMs);
  const words = spec.series.map((one) => rangeWords(one, view)).join('; ');
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${left + box.width + 8} ${box.height + 34}`}
      role="img"
      aria-label={words}
    >
      {ticks.map((tick) => {
        const y = 8 + box.height - (tick / top) * box.height;
        return (
          <g key={tick}>
            <path class="grid" d={`M${left} ${y}h${box.width}`} />
            <text class="axis end" x={left - 8} y={y + 4}>
              {text(spec.series[0].show(tick))}
            </text>
          </g>
        );
      })}
      <g transform={`translate(${left} 8)`}>
        {spec.series.map(({ id }, index) => (
          <path
            key={id}
            class={`line line-${index}`}
            d={linePath(view.history.figures[id], top, box, slots)}
          />
        ))}
      </g>
      <text class="axis" x={left} y={box.height + 28}>
        {begin}
      </text>
      <text class="axis end" x={left + box.width} y={box.height + 28}>
        {clock(at.at(-1) ?? view.at)}
      </text>
    </svg>
  );
}

function rangeWords({ id, name, show }: SeriesSpec, view: Snapshot): string {
  const values = view.history.figures[id].filter((value) => value !== null);
  const prefix = name === '' ? '' : `${name}: `;
  if (values.length === 0) return `${prefix}nothing to tell yet`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${prefix}now ${text(show(view.figures[id]))}, from ${text(show(least))} to ${text(show(most))}`;
}

/** A figure's chart, what it means, and how Prometheus has it. */
export function FigureDialog({ spec, view, onClose }: ChartProps & { onClose(): void }): JSX.Element {
  return (
    <Dialog title={spec.title} onClose={onClose}>
      <Chart spec={spec} view={view} />
      <ul class="legend">
        {spec.series.map((one, index) => (
          <li key={one.id}>
            <span class={`swatch swatch-${index}`} aria-hidden="true" /> {rangeWords(one, view)}
          </li>
        ))}
      </ul>
      <p>{spec.about}</p>
      <p class="muted">In Prometheus:</p>
      <pre class="code">{spec.promql}</pre>
    </Dialog>
  );
}
