import type { JSX } from 'preact';
import { memo } from './memo';
import { largest, linePath } from './scale';

const slots = 150;
const box = { width: 200, height: 44 };

interface SparklineProps {
  readonly lines: readonly { readonly values: readonly (number | null)[]; readonly floor: number }[];
}

/** The last minutes at a glance; the value beside it says the same in words. */
function SparklineOf({ lines }: SparklineProps): JSX.Element {
  const top = Math.max(...lines.map(({ values, floor }) => largest(values, floor)));
  return (
    <svg
      class="spark"
      viewBox={`0 -2 ${box.width} ${box.height + 4}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="base" d={`M0 ${box.height}H${box.width}`} />
      {lines.map(({ values }, index) => (
        <path key={index} class={`line line-${index}`} d={linePath(values, top, box, slots)} />
      ))}
    </svg>
  );
}

export const Sparkline = memo(SparklineOf, (a, b) =>
  a.lines.every(({ values }, index) => values.at(-1) === b.lines[index]?.values.at(-1) && isFlat(values)),
);

/** A line whose values are all the same looks the same after every look. */
function isFlat(values: readonly (number | null)[]): boolean {
  return values.length === slots && values.every((value) => value === values[0]);
}
