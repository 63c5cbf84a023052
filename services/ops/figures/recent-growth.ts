import type { Series } from '../scrape/prometheus-text';
import type { ServiceLook } from '../scrape/scrape-service';
import { counters, histograms } from '../scrape/wanted-series';

const growing = new Set<string>([...counters, ...histograms.map((name) => `${name}_bucket`)]);

interface Look {
  readonly at: number;
  readonly seconds: number;
  /** Values are by how much they grew since the look before. */
  readonly series: readonly Series[];
}

type Passes = (labels: Series['labels']) => boolean;
const any: Passes = () => true;

/**
 * How counters and buckets grew of late, over all processes. A counter that fell is of a process that was started anew: it
 * grew from 0. What a process had counted before it was seen first is not of late.
 */
export class RecentGrowth {
  private readonly last = new Map<string, Map<string, number>>();
  private lastAt: number | null = null;
  private readonly looks: Look[] = [];

  constructor(private readonly windowMs: number) {}

  saw(services: readonly ServiceLook[], at: number): void {
    const { lastAt, looks } = this;
    const answered = services.filter(({ fault }) => fault === null);
    const series = answered.flatMap((service) => this.grownSince(service));
    this.forgetOthers(services);
    this.lastAt = at;
    // A clock that was set back: what was of late isn't any more, and how long this took isn't known.
    if (lastAt !== null && at <= lastAt) return void looks.splice(0);
    if (lastAt !== null) looks.push({ at, seconds: (at - lastAt) / 1_000, series });
    while (looks.length > 0 && looks[0]!.at <= at - this.windowMs) looks.shift();
  }

  private grownSince({ instance, series }: ServiceLook): Series[] {
    const before = this.last.get(instance.name);
    const now = new Map<string, number>();
    const grown: Series[] = [];
    for (const one of series) {
      if (!growing.has(one.name)) continue;
      now.set(one.id, one.value);
      const from = before === undefined ? one.value : (before.get(one.id) ?? 0);
      grown.push({ ...one, value: one.value < from ? one.value : one.value - from });
    }
    this.last.set(instance.name, now);
    // Of a histogram that grew, the buckets that did not are its shape as well.
    const counted = new Set(grown.filter(({ value }) => value > 0).map(({ name }) => name));
    return grown.filter(({ name, value }) => value > 0 || (name.endsWith('_bucket') && counted.has(name)));
  }

  /** Processes that are no targets any more. */
  private forgetOthers(services: readonly ServiceLook[]): void {
    const names = new Set(services.map(({ instance }) => instance.name));
    for (const name of this.last.keys()) if (!names.has(name)) this.last.delete(name);
  }

  get seconds(): number {
    return this.looks.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** Of all series of a name whose labels pass. */
  total(name: string, passes = any): number {
    return this.of(name, passes).reduce((sum, { value }) => sum + value, 0);
  }

  /** A second; null before the second look. */
  rate(name: string, passes = any): number | null {
    const { seconds } = this;
    return seconds === 0 ? null : this.total(name, passes) / seconds;
  }

  /** Of a histogram, cumulative as it has them, by their upper ends. */
  buckets(name: string, passes = any): Map<number, number> {
    const byEnd = new Map<number, number>();
    for (const { labels, value } of this.of(`${name}_bucket`, passes)) {
      const end = Number(labels['le']?.replace('Inf', 'Infinity'));
      byEnd.set(end, (byEnd.get(end) ?? 0) + value);
    }
    return byEnd;
  }

  private of(name: string, passes: Passes): Series[] {
    return this.looks.flatMap(({ series }) =>
      series.filter((one) => one.name === name && passes(one.labels)),
    );
  }
}
