import type { Fault } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';

/** Faults beyond this many are counted, not listed. */
const MAX_LISTED_FAULTS = 100;
const MAX_VALUE_CHARACTERS = 80;

/** What stood there, short enough for a message; objects only by their kind. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  // What is kept of the quoted text is made from the start of the text.
  const text =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 2 * MAX_VALUE_CHARACTERS)) : String(value);
  return shownText(text, MAX_VALUE_CHARACTERS);
}

/** All faults of one input, the first hundred of them listed. */
export class FaultList {
  private readonly faults: Fault[] = [];
  private counted = 0;
  /** A count of elements is above its limit. */
  tooLarge = false;
  /** Names of fields that were asked for, of the objects that are being read. */
  readonly asked: string[] = [];

  add(path: string, value: unknown, limit: string): void {
    this.counted += 1;
    if (this.faults.length < MAX_LISTED_FAULTS)
      this.faults.push({ path, value: describeValue(value), limit });
  }

  /** Further faults are only counted: their texts need not be made. */
  get isFull(): boolean {
    return this.faults.length >= MAX_LISTED_FAULTS;
  }

  get listed(): readonly Fault[] {
    return this.faults;
  }
  get count(): number {
    return this.counted;
  }
}
