import { MAX_ID_BYTES } from '#schemas/brands';
import { nearestName } from '#schemas/nearest-name';
import { shownText } from '#schemas/shown-text';
import type { FaultList } from './fault-list';
import { SECONDS_END } from './limits';

export interface Range {
  readonly min: number;
  readonly max: number;
  /** What is counted, from some zero of its clock. */
  readonly unit?: 'seconds';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const between = ({ min, max }: Range) => `between ${min} and ${max}`;

/** Of a time in seconds that is none on any clock, but is one in milliseconds. */
function unitHint(value: number, { unit }: Range): string {
  const isMilliseconds = unit === 'seconds' && value >= SECONDS_END && value < SECONDS_END * 1_000;
  return isMilliseconds ? '; is it in milliseconds?' : '';
}

const controlCharacter = /[\u0000-\u001f\u007f]/;
const loneSurrogate = /\p{Surrogate}/u;

/** Printable ASCII, as most ids are. */
function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Why a string can't be an id (or a part of our keys, which a control character separates), or null. */
export function idFault(value: string): string | null {
  if (value.length === 0) return 'at least 1 byte';
  if (value.length <= MAX_ID_BYTES && isPlain(value)) return null;
  if (Buffer.byteLength(value) > MAX_ID_BYTES) {
    return `at most ${MAX_ID_BYTES} bytes of UTF-8, it has ${Buffer.byteLength(value)}`;
  }
  if (controlCharacter.test(value)) return 'no control characters';
  return loneSurrogate.test(value) ? 'well-formed Unicode' : null;
}

/** Where an object stands in another one: under a name, or there in a list. */
interface Place {
  readonly of: Fields;
  readonly name: string;
  readonly index: number | null;
}

/**
 * Reads the fields of an untrusted object by name. Every reader gives back a value of the right type
 * (its fallback where there is a fault) so that all faults are found in one pass; `done` reports the
 * names that nobody read. Only own properties count, so `__proto__` is a name like any other. A field
 * that is null counts as absent.
 */
export class Fields {
  private readonly source: Record<string, unknown>;
  /** Where its names begin among those asked for: objects are read one within the other, each until it is `done`. */
  private readonly firstName: number;

  /** `place`: its path, or where it stands in another object. */
  constructor(
    value: unknown,
    private readonly place: string | Place,
    readonly faults: FaultList,
  ) {
    this.firstName = faults.asked.length;
    if (!isRecord(value) && value !== undefined) faults.add(this.path || '(body)', value, 'an object');
    this.source = isRecord(value) ? value : {};
  }

  /** Made only where it is asked for: most objects have no faults. */
  private get path(): string {
    if (typeof this.place === 'string') return this.place;
    const { of, name, index } = this.place;
    return index === null ? of.at(name) : `${of.at(name)}[${index}]`;
  }

  at(name: string): string {
    const { path } = this;
    return path === '' ? name : `${path}.${name}`;
  }

  raw(name: string): unknown {
    this.faults.asked.push(name);
    return this.own(name);
  }

  /** Of what a prototype has only functions could be found, and a body has none; but for the one name. */
  private own(name: string): unknown {
    if (name === '__proto__' && !Object.hasOwn(this.source, name)) return undefined;
    const value = this.source[name];
    return value === null || typeof value === 'function' ? undefined : value;
  }

  fault(name: string, value: unknown, limit: string): void {
    this.faults.add(this.at(name), value, limit);
  }

  /** A whole number; with no fallback it is required. Strings of digits pass, as in proto3's JSON. */
  integer(name: string, range: Range, fallback?: number): number {
    const value = this.raw(name);
    if (value === undefined && fallback !== undefined) return fallback;
    const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
    if (
      typeof number === 'number' &&
      Number.isSafeInteger(number) &&
      number >= range.min &&
      number <= range.max
    ) {
      return number + 0;
    }
    const kind = `a whole number${range.unit ? ` of ${range.unit}` : ''}`;
    this.fault(name, value, `${kind} ${between(range)}${unitHint(Number(number), range)}`);
    return fallback ?? Math.max(range.min, Math.min(0, range.max));
  }

  number(name: string, range: Range, fallback?: number): number {
    const value = this.raw(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value === 'number' && value >= range.min && value <= range.max) return value + 0;
    this.fault(name, value, `a number ${between(range)}`);
    return fallback ?? Math.max(range.min, Math.min(0, range.max));
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (typeof value !== 'boolean') this.fault(name, value, 'true or false');
    return value === true;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback?: T): T {
    const value = this.raw(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (allowed.includes(value as T)) return value as T;
    this.fault(name, value, `one of ${allowed.join(', ')}`);
    return fallback ?? allowed[0]!;
  }

  id(name: string, fallback?: string): string {
    const value = this.raw(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value !== 'string') {
      this.fault(name, value, `a string of 1 to ${MAX_ID_BYTES} bytes`);
      return fallback ?? '';
    }
    const reason = idFault(value);
    if (reason !== null) this.fault(name, value, reason);
    return value;
  }

  /** The tenant: of the body or of the request, which must agree. */
  tenant(fromEdge: string | undefined): string {
    const reason = fromEdge === undefined ? null : idFault(fromEdge);
    if (reason !== null) this.fault('tenantId', fromEdge, `as the tenant of the request: ${reason}`);
    const tenantId = this.id('tenantId', fromEdge ?? 'default');
    if (fromEdge !== undefined && tenantId !== fromEdge) {
      this.fault('tenantId', tenantId, `the tenant of the request (${shownText(fromEdge, 64)})`);
    }
    return tenantId;
  }

  /** Strings that are ids; duplicates are faults. */
  ids(name: string, max: number): string[] {
    const seen = new Set<string>();
    this.elements(name, max, (value, index) => {
      const path = () => `${this.at(name)}[${index}]`;
      const reason = typeof value === 'string' ? idFault(value) : `a string of 1 to ${MAX_ID_BYTES} bytes`;
      if (reason !== null) this.faults.add(path(), value, reason);
      else if (seen.has(value as string)) this.faults.add(path(), value, 'each once');
      else seen.add(value as string);
    });
    return [...seen];
  }

  /** An exact integer of 64 bits: a whole number that a double holds exactly, or a string of digits. */
  int64(name: string, fallback?: bigint): bigint {
    const value = this.raw(name);
    if (value === undefined && fallback !== undefined) return fallback;
    const exact =
      typeof value === 'bigint' ||
      (typeof value === 'number' && Number.isSafeInteger(value)) ||
      (typeof value === 'string' && /^-?\d{1,19}$/.test(value));
    const number = exact ? BigInt(value as bigint | number | string) : 0n;
    if (exact && BigInt.asIntN(64, number) === number) return number;
    this.fault(name, value, 'a 64-bit integer, as a string beyond 2^53 − 1');
    return fallback ?? 0n;
  }

  object<T>(name: string, read: (fields: Fields) => T): T {
    const fields = new Fields(this.raw(name), { of: this, name, index: null }, this.faults);
    const value = read(fields);
    fields.done();
    return value;
  }

  has(name: string): boolean {
    return this.own(name) !== undefined;
  }

  objects<T>(name: string, max: number, read: (fields: Fields, index: number) => T): T[] {
    const values: T[] = [];
    this.elements(name, max, (value, index) => {
      const fields = new Fields(value ?? null, { of: this, name, index }, this.faults);
      values.push(read(fields, index));
      fields.done();
    });
    return values;
  }

  private elements(name: string, max: number, each: (value: unknown, index: number) => void) {
    const value = this.raw(name);
    if (value === undefined) return;
    if (!Array.isArray(value)) {
      this.fault(name, value, 'an array');
      return;
    }
    if (value.length > max) {
      this.fault(name, value, `at most ${max} elements`);
      this.faults.tooLarge = true;
      return;
    }
    value.forEach((element, i) => each(element, i));
  }

  /** Reports names that no reader asked for, each with the nearest valid one. Nothing is asked of it afterwards. */
  done(): void {
    const { asked } = this.faults;
    for (const name of Object.keys(this.source)) {
      if (asked.includes(name, this.firstName)) continue;
      this.faults.add(
        this.at(shownText(name, 64)),
        this.source[name],
        this.faults.isFull ? '' : this.instead(name),
      );
    }
    asked.length = this.firstName;
  }

  private instead(name: string): string {
    const names = this.faults.asked.slice(this.firstName);
    const nearest = nearestName(name, names);
    const hint = nearest === null ? `the fields are ${names.join(', ')}` : `did you mean "${nearest}"?`;
    return `no such field; ${hint}`;
  }
}
