import { ArgumentsInvalid } from '#lib/command-line';
import { shownText } from '#schemas/shown-text';
import type { DiffFigures } from './diff-summary';

/** A bound of a figure: a number, or a part of what it is counted of. */
export interface Bound {
  readonly value: number;
  readonly isPercent: boolean;
}

/** Figures that a gate may bound: how much there is, and of how many. */
const measures = {
  'max-changed': (f: DiffFigures) => [f.changed, f.compared],
  'max-redispatched': (f: DiffFigures) => [f.redispatched, f.compared],
  'max-missing': (f: DiffFigures) => [f.missingInB, f.compared + f.missingInB],
  'max-lost': (f: DiffFigures) => [f.orders.lost, f.a.assigned],
  'max-unassigned-increase': (f: DiffFigures) => [
    f.b.unassigned - f.a.unassigned,
    f.a.assigned + f.a.unassigned,
  ],
  'max-cost-increase': (f: DiffFigures) => [Number(f.b.cost - f.a.cost), Math.abs(Number(f.a.cost))],
  'max-late': (f: DiffFigures) => [f.b.late, f.b.decisions],
} as const satisfies Record<string, (figures: DiffFigures) => readonly [number, number]>;

export type BoundName = keyof typeof measures;
export const boundNames = Object.keys(measures) as BoundName[];
export type Bounds = Partial<Record<BoundName, Bound>>;

/** `12`, `0.5%`; throws ArgumentsInvalid. */
export function boundFlag(name: string, text: string): Bound {
  const parts = /^(-?\d{1,15}(?:\.\d{1,6})?)(%?)$/.exec(text);
  if (parts === null)
    throw new ArgumentsInvalid(`--${name} is ${shownText(text, 100)}: a number, or a part such as 0.5%`);
  return { value: Number(parts[1]), isPercent: parts[2] === '%' };
}

/** A sentence for each bound that doesn't hold. */
export function brokenBounds(figures: DiffFigures, bounds: Bounds): string[] {
  return boundNames.flatMap((name) => {
    const bound = bounds[name];
    if (bound === undefined) return [];
    const [found, of] = measures[name](figures);
    const measured = bound.isPercent ? partOf(found, of) : found;
    if (measured <= bound.value) return [];
    const unit = bound.isPercent ? '%' : '';
    const shown = bound.isPercent ? `${measured.toFixed(4)}% (${found} of ${of})` : String(found);
    return [`--${name} ${bound.value}${unit}: it is ${shown}`];
  });
}

/** More than nothing is infinitely more. */
function partOf(found: number, of: number): number {
  if (of === 0) return found > 0 ? Infinity : 0;
  return (100 * found) / of;
}
