import { configError } from '#lib/config';
import { Prng } from '#policy/simulation/city/prng';
import type { Fault } from '#schemas/errors';
import type { Choice, ParameterValue, Space } from './space';

/** Values by parameter; none of them is the policy as it is. */
export type Point = Readonly<Record<string, ParameterValue>>;

const mostPoints = 100_000;

function within({ from, to, whole, log }: Extract<Choice, { kind: 'range' }>, part: number): number {
  if (whole && !log) return Math.min(to, Math.floor(from + part * (to - from + 1)));
  const value = log ? from * (to / from) ** part : from + part * (to - from);
  return whole ? Math.round(value) : Number(value.toPrecision(6));
}

function stepsOf(choice: Choice): readonly ParameterValue[] {
  if (choice.kind === 'values') return choice.values;
  const steps = choice.steps ?? 2;
  const even = { ...choice, whole: false };
  const values = Array.from({ length: steps }, (_, at) => within(even, at / (steps - 1)));
  return [...new Set(choice.whole ? values.map(Math.round) : values)];
}

/** A grid takes a number of steps of each range. */
export function gridFaults(space: Space): Fault[] {
  return [...space].flatMap(([name, choice]) =>
    choice.kind === 'range' && choice.steps === null
      ? [{ path: name, value: 'a range', limit: 'steps, or --random N' }]
      : [],
  );
}

/** The first value of each parameter: whose names are none of a policy shows in it. */
export const firstPoint = (space: Space): Point =>
  Object.fromEntries(
    [...space].map(([name, choice]) => [name, choice.kind === 'values' ? choice.values[0]! : choice.from]),
  );

/** The policy as it is, then every combination; throws CONFIG_INVALID for ranges without steps, or too many. */
export function gridPoints(space: Space): Point[] {
  const faults = gridFaults(space);
  if (faults.length > 0) throw configError(faults);
  const axes = [...space].map(([name, choice]) => ({ name, values: stepsOf(choice) }));
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > mostPoints)
    throw configError([
      { path: 'the grid', value: `${count} points`, limit: `at most ${mostPoints}; --random N draws some` },
    ]);
  const grid = axes.reduce<Point[]>(
    (points, { name, values }) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
  return [{}, ...grid];
}

/** The policy as it is, then so many by chance, none twice: fewer where there are no more. */
export function randomPoints(space: Space, count: number, seed: number): Point[] {
  const prng = new Prng(seed);
  const points = new Map<string, Point>([['{}', {}]]);
  for (let tries = 0; points.size <= count && tries < 20 * count; tries += 1) {
    const point: Record<string, ParameterValue> = {};
    for (const [name, choice] of space) {
      const values = choice.kind === 'values' ? choice.values : null;
      point[name] =
        values === null ? within(choice as never, prng.unit()) : values[prng.whole(0, values.length - 1)]!;
    }
    points.set(JSON.stringify(point), point);
  }
  return [...points.values()];
}
