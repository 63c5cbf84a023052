import { idFault } from '#policy/validation/index';
import type { ImportFaults } from './import-faults';

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Up to the year 2100: milliseconds are no seconds. A clock of one's own may begin behind its first times. */
const latestTime = 4_102_444_800;

/**
 * Reads the cells of a row by name. Each reader gives back a value of its type where there is a fault, so that
 * all are found. An empty cell counts as absent.
 */
export class RowReader {
  constructor(
    private readonly fields: ReadonlyMap<string, unknown>,
    readonly place: string,
    private readonly faults: ImportFaults,
  ) {}

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  private raw(name: string): unknown {
    const value = this.fields.get(name);
    return value === '' || value === null ? undefined : value;
  }

  fault(name: string, limit: string): void {
    const value = this.raw(name);
    const shown = value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value);
    this.faults.add(`${this.place} ${name}`, shown, limit);
  }

  text(name: string, fallback?: string): string {
    const value = this.raw(name) ?? fallback;
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    this.fault(name, 'text');
    return '';
  }

  id(name: string, fallback?: string): string {
    const value = this.text(name, fallback);
    const fault = value === '' && !this.has(name) ? null : idFault(value);
    if (fault !== null) this.fault(name, fault);
    return value;
  }

  number(name: string, range: Range, fallback?: number): number {
    return this.numeric(name, range, fallback, false);
  }

  integer(name: string, range: Range, fallback?: number): number {
    return this.numeric(name, range, fallback, true);
  }

  /** Whole seconds on any clock. */
  time(name: string, min = -latestTime, fallback?: number): number {
    const limit = `whole seconds since 1970, or on a clock of your own, from ${min} to ${latestTime}`;
    return this.numeric(name, { min, max: latestTime }, fallback, true, limit);
  }

  private numeric(
    name: string,
    { min, max }: Range,
    fallback: number | undefined,
    whole: boolean,
    limit = `${whole ? 'a whole number' : 'a number'} from ${min} to ${max}`,
  ): number {
    const raw = this.raw(name);
    if (raw === undefined && fallback !== undefined) return fallback;
    const isNumber = typeof raw === 'number' || (typeof raw === 'string' && /^-?\d+(\.\d+)?$/.test(raw));
    const value = isNumber ? Number(raw) : NaN;
    if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
    this.fault(name, limit);
    return fallback ?? Math.max(min, Math.min(max, 0));
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const raw = this.raw(name);
    if (raw === undefined) return fallback;
    const found = choices.find((choice) => choice === raw);
    if (found === undefined) this.fault(name, `one of ${choices.join(', ')}`);
    return found ?? fallback;
  }

  /** `a|b`, or in JSON an array. */
  list(name: string): string[] {
    const raw = this.raw(name);
    if (raw === undefined) return [];
    const parts: unknown = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split('|') : null;
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string' && idFault(part) === null))
      return parts as string[];
    this.fault(name, 'names, in a table parted by |');
    return [];
  }
}

/** Tells of columns that nobody reads, once: a misspelt one would be a default otherwise. */
export function checkColumns(
  names: Iterable<string>,
  known: readonly string[],
  place: string,
  faults: ImportFaults,
): void {
  for (const name of names) {
    if (!known.includes(name)) faults.add(place, `a column ${name}`, `one of ${known.join(', ')}`);
  }
}
