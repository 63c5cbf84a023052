import { LabelSpace, type Fields, type LabelBounds } from './label-space';

export type FamilyKind = 'counter' | 'gauge' | 'histogram' | 'summary' | 'unknown';

export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  readonly unixSeconds: number;
}

/** One line of a scrape. */
export interface Sample {
  /** Behind the family's name: `_bucket`, `_sum`, `_count`, or nothing. */
  readonly suffix: string;
  /** `model="a",le="1"`; may be empty. */
  readonly labels: string;
  readonly value: number;
  readonly exemplar?: Exemplar | undefined;
}

/** All series of one name. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly kind: FamilyKind;
  samples(): Iterable<Sample>;
  /** Values of its open labels are known: their series stand at 0 from now on where that is true of them. */
  foresee?(values: Fields): void;
}

export interface FamilyOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: LabelBounds;
}

/** Families with more combinations get their series as these come. */
const mostAtStart = 128;

abstract class LabelledFamily<Series> implements Family {
  abstract readonly kind: FamilyKind;
  readonly name: string;
  readonly help: string;
  readonly space: LabelSpace;
  protected readonly series = new Map<number, Series>();
  private readonly texts = new Map<number, string>();

  constructor({ name, help, labels = {} }: FamilyOptions) {
    this.name = name;
    this.help = help;
    this.space = new LabelSpace(labels);
  }

  abstract samples(): Iterable<Sample>;
  protected abstract fresh(): Series;

  protected at(fields: Fields): Series {
    const number = this.space.numberOf(fields);
    return this.series.get(number) ?? this.begin(number);
  }

  protected begin(number: number): Series {
    const series = this.fresh();
    this.series.set(number, series);
    this.texts.set(number, this.space.text(number));
    return series;
  }

  /** Of what is there no more. */
  protected end(fields: Fields): void {
    const number = this.space.numberOf(fields);
    this.series.delete(number);
    this.texts.delete(number);
    this.space.forget(number, this.series.keys());
  }

  /** Those of closed lists stand at 0 from the start, so that a rate sees the first event; others once their values are known. */
  protected beginAll(values: Fields, most: number): void {
    const numbers = this.space.combinations(values);
    if (numbers.length > most) return;
    for (const number of numbers) if (!this.series.has(number)) this.begin(number);
  }

  protected *labelled(): Iterable<readonly [string, Series]> {
    for (const [number, series] of this.series) yield [this.texts.get(number)!, series];
  }
}

interface Cell {
  value: number;
}

/** Amounts that aren't numbers, or fall, are left out. */
export class CounterFamily extends LabelledFamily<Cell> {
  readonly kind = 'counter';

  constructor(options: FamilyOptions) {
    super(options);
    this.foresee({});
  }

  foresee(values: Fields): void {
    this.beginAll(values, mostAtStart);
  }

  add(fields: Fields, by = 1): void {
    if (by >= 0 && Number.isFinite(by)) this.at(fields).value += by;
  }

  *samples(): Iterable<Sample> {
    for (const [labels, { value }] of this.labelled()) yield { suffix: '', labels, value };
  }

  protected fresh(): Cell {
    return { value: 0 };
  }
}

export interface GaugeOptions extends FamilyOptions {
  /** Before anybody has set it, 0 is true. */
  readonly isZeroAtFirst?: boolean | undefined;
}

export class GaugeFamily extends LabelledFamily<Cell> {
  readonly kind = 'gauge';
  private readonly isZeroAtFirst: boolean;

  constructor({ isZeroAtFirst = false, ...options }: GaugeOptions) {
    super(options);
    this.isZeroAtFirst = isZeroAtFirst;
    if (Object.keys(options.labels ?? {}).length === 0) this.beginAll({}, 1);
  }

  foresee(values: Fields): void {
    if (this.isZeroAtFirst) this.beginAll(values, mostAtStart);
  }

  /** null: its series ends. */
  set(fields: Fields, value: number | null): void {
    if (value === null) this.end(fields);
    else if (typeof value === 'number') this.at(fields).value = value;
  }

  *samples(): Iterable<Sample> {
    for (const [labels, { value }] of this.labelled()) yield { suffix: '', labels, value };
  }

  protected fresh(): Cell {
    return { value: 0 };
  }
}

interface Buckets {
  /** Not cumulative; the last one is for larger values. */
  readonly counts: Float64Array;
  sum: number;
  exemplars: (Exemplar | undefined)[] | null;
}

export interface HistogramOptions extends FamilyOptions {
  /** Upper ends, ascending. */
  readonly buckets: readonly number[];
}

export class HistogramFamily extends LabelledFamily<Buckets> {
  readonly kind = 'histogram';
  private readonly ends: readonly number[];
  private readonly leLabels: readonly string[];

  constructor(options: HistogramOptions) {
    super(options);
    this.ends = options.buckets;
    this.leLabels = [...options.buckets.map(String), '+Inf'].map((end) => `le="${end}"`);
    this.beginAll({}, mostHistogramsAtStart);
  }

  /** One of them: of a hundred remotes with ten ends each there would be thousands of lines. */
  foresee(values: Fields): void {
    this.beginAll(values, 1);
  }

  /** With the trace of a value, where it is recorded. */
  observe(fields: Fields, value: number, traceId?: string): void {
    if (!Number.isFinite(value)) return;
    const buckets = this.at(fields);
    const at = this.bucketOf(value);
    buckets.counts[at]! += 1;
    buckets.sum += value;
    if (traceId === undefined) return;
    buckets.exemplars ??= this.leLabels.map(() => undefined);
    buckets.exemplars[at] = { traceId, value, unixSeconds: Date.now() / 1_000 };
  }

  /** Counts that were made elsewhere with the same ends, not cumulative. */
  addCounts(fields: Fields, counts: readonly number[], sum: number): void {
    const buckets = this.at(fields);
    counts.forEach((count, at) => (buckets.counts[at]! += count));
    buckets.sum += sum;
  }

  *samples(): Iterable<Sample> {
    for (const [labels, { counts, sum, exemplars }] of this.labelled()) {
      let total = 0;
      for (let at = 0; at < counts.length; at += 1) {
        total += counts[at]!;
        const le = this.leLabels[at]!;
        const all = labels === '' ? le : `${le},${labels}`;
        yield { suffix: '_bucket', labels: all, value: total, exemplar: exemplars?.[at] };
      }
      yield { suffix: '_sum', labels, value: sum };
      yield { suffix: '_count', labels, value: total };
    }
  }

  protected fresh(): Buckets {
    return { counts: new Float64Array(this.ends.length + 1), sum: 0, exemplars: null };
  }

  private bucketOf(value: number): number {
    const { ends } = this;
    let at = 0;
    while (at < ends.length && value > ends[at]!) at += 1;
    return at;
  }
}

/** Their series are a dozen lines each. */
const mostHistogramsAtStart = 16;
