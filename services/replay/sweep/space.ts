import { configError } from '#lib/config';
import { readRegularFile } from '#lib/regular-file';
import type { Fault } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';

export type ParameterValue = number | string | boolean | null;

/** What a parameter may be: one of some values, or any within a range. */
export type Choice =
  | { readonly kind: 'values'; readonly values: readonly ParameterValue[] }
  | {
      readonly kind: 'range';
      readonly from: number;
      readonly to: number;
      /** How many of them a grid takes; null: a range of chance alone. */
      readonly steps: number | null;
      readonly whole: boolean;
      /** Even in the logarithm. */
      readonly log: boolean;
    };

/** `weights.freshness` of the policy, or `day.…`. */
export type Space = ReadonlyMap<string, Choice>;

const isScalar = (value: unknown): value is ParameterValue =>
  value === null || ['number', 'string', 'boolean'].includes(typeof value);

const rangeKeys = ['from', 'to', 'steps', 'whole', 'log'];

function rangeFault(given: Readonly<Record<string, unknown>>): string | null {
  const { from, to, steps, whole = false, log = false } = given;
  const extra = Object.keys(given).find((key) => !rangeKeys.includes(key));
  if (extra !== undefined) return `${extra} is none of ${rangeKeys.join(', ')}`;
  if (typeof from !== 'number' || typeof to !== 'number' || from >= to) return 'from below to';
  if (typeof whole !== 'boolean' || typeof log !== 'boolean') return 'whole and log true or false';
  if (whole && !(Number.isInteger(from) && Number.isInteger(to))) return 'whole from and to';
  if (log && from <= 0) return 'with log, from above 0';
  if (
    steps === undefined ||
    (Number.isInteger(steps) && (steps as number) >= 2 && (steps as number) <= 1_000)
  )
    return null;
  return 'steps from 2 to 1000';
}

function choiceOf(given: unknown): Choice | string {
  if (Array.isArray(given)) {
    const texts = given.map((value) => JSON.stringify(value));
    if (given.length === 0 || !given.every(isScalar)) return 'an array of numbers, texts, booleans or null';
    return new Set(texts).size < texts.length ? 'each value once' : { kind: 'values', values: given };
  }
  if (typeof given !== 'object' || given === null) return 'an array of values, or {"from", "to"}';
  const fault = rangeFault(given as Record<string, unknown>);
  if (fault !== null) return fault;
  const { from, to, steps = null, whole = false, log = false } = given as Extract<Choice, { kind: 'range' }>;
  return { kind: 'range', from, to, steps, whole, log };
}

export interface FoundSpace {
  readonly space: Space;
  /** Of choices that are left out of it. */
  readonly faults: readonly Fault[];
}

/** A JSON object of parameters; throws CONFIG_INVALID where it is none. */
export function foundSpace(json: unknown, file: string): FoundSpace {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || Object.keys(json).length === 0)
    throw configError([
      { path: file, value: shownText(JSON.stringify(json) ?? '', 80), limit: 'an object of parameters' },
    ]);
  const space = new Map<string, Choice>();
  const faults: Fault[] = [];
  for (const [name, given] of Object.entries(json)) {
    const choice = choiceOf(given);
    if (typeof choice === 'string')
      faults.push({ path: `${file}: ${name}`, value: shownText(JSON.stringify(given), 80), limit: choice });
    else space.set(name, choice);
  }
  return { space, faults };
}

/** Throws CONFIG_INVALID with every fault. */
export function spaceOf(json: unknown, file: string): Space {
  const { space, faults } = foundSpace(json, file);
  if (faults.length > 0) throw configError(faults);
  return space;
}

export function readSpace(file: string): FoundSpace {
  let json: unknown;
  try {
    json = JSON.parse(readRegularFile(file).toString());
  } catch (error) {
    throw configError([{ path: file, value: (error as Error).message, limit: 'a file of JSON' }]);
  }
  return foundSpace(json, file);
}
