import type { NamedCause } from './console/judge-console';
import type { Stand, StandOptions } from './stand/stand';

/** `quick`: a tenth, for CI. */
export type Scale = 'quick' | 'full';

/** One thing that was expected, and what was measured. */
export interface Check {
  readonly what: string;
  readonly expected: string;
  readonly measured: string;
  readonly passed: boolean;
  /** By the clock: a busy machine may miss it. */
  readonly isTiming?: boolean;
}

export interface DrillContext {
  readonly stand: Stand;
  readonly scale: Scale;
  /** The second of the two where the scale is `quick`. */
  of<T>(full: T, quick: T): T;
  readonly seed: number;
  note(text: string): void;
}

export interface Drill {
  readonly name: string;
  /** Of PAINS.md's rows, or of the list of faults: `1`, `13`, `kill`, `disk`. */
  readonly row: string;
  /** What is really done. */
  readonly fault: string;
  /** What should come of it, in words. */
  readonly expected: string;
  /** Alerts that have to fire while it lasts (ops/prometheus). */
  readonly alerts?: readonly string[];
  /** What the console has to name, for who has only that and the runbook; absent where nothing is wrong. */
  readonly console?: NamedCause;
  /** Part of the tenth that CI runs. */
  readonly inQuick: boolean;
  /** Needs a stand of its own with these settings; `none`: makes what it needs itself. */
  readonly stand?: 'none' | StandOptions;
  run(context: DrillContext): Promise<Check[]>;
}

export function check(what: string, expected: string, measured: unknown, passed: boolean): Check {
  return { what, expected, measured: String(measured), passed };
}

/** Passes at the limit or below. */
export function atMost(what: string, limit: number, measured: number, unit = ''): Check {
  const text = Number.isFinite(measured) ? String(Number(measured.toFixed(1))) : 'never';
  return check(what, `≤ ${limit}${unit}`, `${text}${unit}`, measured <= limit);
}

export function timing(what: string, limit: number, measured: number, unit = ' ms'): Check {
  return { ...atMost(what, limit, measured, unit), isTiming: true };
}

export function equal(what: string, expected: string | number, measured: string | number): Check {
  return check(what, String(expected), measured, measured === expected);
}
