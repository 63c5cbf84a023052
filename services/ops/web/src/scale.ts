/** Ends of an axis from 0 to at least `most`, and its marks: 1, 2 or 5 times a power of ten apart. */
export function niceTicks(most: number, about: number): number[] {
  if (!(most > 0)) return [0, 1];
  const raw = most / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw)!;
  const ticks: number[] = [];
  for (let at = 0; ticks.length === 0 || ticks.at(-1)! < most; at += 1)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/**
 * The path of values that lie evenly side by side in a box; where one is missing the line is broken. `top` is the value at
 * the box's upper edge, 0 at its lower one.
 */
export function linePath(
  values: readonly (number | null)[],
  top: number,
  { width, height }: Box,
  slots: number,
): string {
  const step = width / Math.max(1, slots - 1);
  const offset = slots - values.length;
  let path = '';
  let isDown = false;
  values.forEach((value, index) => {
    if (value === null) return void (isDown = false);
    const x = ((index + offset) * step).toFixed(1);
    const y = (height - (Math.min(value, top) / top) * height).toFixed(1);
    path += `${isDown ? 'L' : 'M'}${x} ${y}`;
    isDown = true;
  });
  return path;
}

/** The largest, at least `floor`: a line of zeros lies at the bottom. */
export function largest(values: readonly (number | null)[], floor: number): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), floor);
}
