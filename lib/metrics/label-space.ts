/**
 * The values that a label may take: a closed list, or the number of distinct values after which every new
 * one is counted as `other`. So the number of series is bounded; ids belong into logs.
 */
export type LabelBounds = Readonly<Record<string, readonly string[] | number>>;

export type Fields = Readonly<Record<string, unknown>>;

const idLike = /(^|_)(ids?|run|round|shard|order|courier|tenant|zone|trace|span|address|index|offset)(_|$)/;

/** As Prometheus has them: `closedBy` of an event is the label `closed_by`. */
export function labelName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function checked(field: string): string {
  const name = labelName(field);
  if (!/^[a-z][a-z_]*$/.test(name) || idLike.test(name))
    throw new Error(`"${name}" can't be a label: ids belong into logs and traces`);
  return name;
}

export function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}

const other = 'other';

/** One label: a value has a number; those beyond the bound share the last one. */
class Label {
  readonly name: string;
  readonly size: number;
  readonly isClosed: boolean;
  readonly values: string[];
  private readonly numbers = new Map<unknown, number>();
  private readonly free: number[] = [];
  private readonly bound: number;

  constructor(
    readonly field: string,
    bound: readonly string[] | number,
  ) {
    this.name = checked(field);
    this.isClosed = typeof bound !== 'number';
    this.values = typeof bound === 'number' ? [] : [...bound];
    this.bound = typeof bound === 'number' ? bound : bound.length;
    this.size = this.bound + 1;
    this.values.forEach((value, number) => this.numbers.set(value, number));
  }

  numberOf(given: unknown): number {
    const known = this.numbers.get(given);
    return known ?? this.numberOfText(String(given ?? 'none'));
  }

  text(number: number): string {
    return `${this.name}="${escaped(this.values[number] ?? other)}"`;
  }

  private numberOfText(value: string): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    const number = this.free.pop() ?? this.values.length;
    if (number >= this.bound) return this.bound;
    this.values[number] = value;
    this.numbers.set(value, number);
    return number;
  }

  /** Makes room for another value of an open label. */
  forget(number: number): void {
    if (this.isClosed || number >= this.values.length) return;
    this.numbers.delete(this.values[number]!);
    this.free.push(number);
  }
}

/** Numbers the combinations of a metric's labels, each read from a field of an event by its name. */
export class LabelSpace {
  private readonly labels: readonly Label[];
  /** Every combination that can come. */
  readonly size: number;

  /** Throws for a label that would be an id. */
  constructor(bounds: LabelBounds) {
    this.labels = Object.entries(bounds).map(([field, bound]) => new Label(field, bound));
    this.size = this.labels.reduce((size, label) => size * label.size, 1);
  }

  /** For the docs. */
  listed(): readonly Pick<Label, 'name' | 'size' | 'isClosed' | 'values'>[] {
    return this.labels;
  }

  numberOf(fields: Fields): number {
    let number = 0;
    for (const label of this.labels) number = number * label.size + label.numberOf(fields[label.field]);
    return number;
  }

  /** `model="a",status="solved"` */
  text(number: number): string {
    const parts = this.partsOf(number);
    return this.labels.map((label, at) => label.text(parts[at]!)).join(',');
  }

  /** A combination that is no more used, beside those that are: values that only it had give up their places. */
  forget(number: number, used: Iterable<number>): void {
    const others = Array.from(used, (one) => this.partsOf(one));
    const parts = this.partsOf(number);
    this.labels.forEach((label, at) => {
      if (!others.some((other) => other[at] === parts[at])) label.forget(parts[at]!);
    });
  }

  /** The number of each label's value. */
  private partsOf(number: number): number[] {
    const parts: number[] = [];
    let rest = number;
    for (const { size } of [...this.labels].reverse()) {
      parts.unshift(rest % size);
      rest = Math.floor(rest / size);
    }
    return parts;
  }

  /**
   * All combinations of closed lists, without `other`, where the open labels have these values; none where it has other
   * open labels than these.
   */
  combinations(values: Fields = {}): number[] {
    const open = this.labels.filter(({ isClosed }) => !isClosed);
    if (open.length !== Object.keys(values).length || open.some(({ field }) => !(field in values))) return [];
    let numbers = [0];
    for (const label of this.labels) {
      const { field, isClosed, size } = label;
      const own = isClosed
        ? Array.from({ length: size - 1 }, (_, at) => at)
        : [label.numberOf(values[field])];
      numbers = numbers.flatMap((before) => own.map((value) => before * size + value));
    }
    return numbers;
  }
}
