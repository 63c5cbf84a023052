import { Registry } from 'prom-client';
import { asksForOpenMetrics, Exposition } from './exposition';
import { CounterFamily, GaugeFamily, HistogramFamily, type Family, type FamilyKind } from './family';
import { escaped, type Fields, type LabelBounds } from './label-space';

/** What is asked for its families at every scrape, or brings its own up to date. It must answer soon: it has the scraper wait. */
export type FamilySource = () => readonly Family[] | Promise<readonly Family[]> | void;

export interface Scrape {
  readonly contentType: string;
  readonly body: string;
}

/** Series as they are now, for what isn't counted by events. */
export function gaugeFamily(
  name: string,
  help: string,
  values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[],
  kind: FamilyKind = 'gauge',
): Family {
  const samples = values.map(({ labels = {}, value }) => ({ suffix: '', labels: labelText(labels), value }));
  return { name, help, kind, samples: () => samples };
}

export function labelText(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',');
}

/**
 * All metrics of a process: families of ours, whose label values are bounded, and those that prom-client collects of
 * the process itself.
 */
export class MetricsRegistry extends Registry {
  private readonly families = new Map<string, Family>();
  private readonly sources: FamilySource[] = [];

  constructor(private readonly shared: Readonly<Record<string, string>> = {}) {
    super();
  }

  counter(name: string, help: string, labels: LabelBounds = {}): CounterFamily {
    return this.add(new CounterFamily({ name, help, labels }));
  }
  /** The same one again where it was made before: events may begin and end one state. */
  gauge(name: string, help: string, labels: LabelBounds = {}, isZeroAtFirst = false): GaugeFamily {
    const made = this.families.get(name);
    if (made instanceof GaugeFamily) return made;
    return this.add(new GaugeFamily({ name, help, labels, isZeroAtFirst }));
  }
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labels: LabelBounds = {},
  ): HistogramFamily {
    return this.add(new HistogramFamily({ name, help, buckets, labels }));
  }

  /** A gauge that is read at every scrape. */
  observed(name: string, help: string, read: () => number): void {
    this.add({ name, help, kind: 'gauge', samples: () => [{ suffix: '', labels: '', value: read() }] });
  }

  /** Over the series of a family that have these labels. */
  total(name: string, labels: Readonly<Record<string, string>> = {}, suffix = ''): number {
    const wanted = Object.entries(labels).map(([key, value]) => labelText({ [key]: value }));
    let total = 0;
    for (const sample of this.families.get(name)?.samples() ?? []) {
      const has = wanted.every((label) => sample.labels.split(',').includes(label));
      if (has && sample.suffix === suffix) total += sample.value;
    }
    return total;
  }

  /** Throws where the name is taken. */
  add<F extends Family>(family: F): F {
    if (this.families.has(family.name)) throw new Error(`there is a metric ${family.name} already`);
    this.families.set(family.name, family);
    return family;
  }

  /** Series whose open labels are these stand at 0 from now on, so that what is scraped doesn't hang on what happens first. */
  foresee(values: Fields): void {
    for (const family of this.families.values()) family.foresee?.(values);
  }

  addSource(source: FamilySource): void {
    this.sources.push(source);
  }

  /** Those that were added; not those of sources. */
  listed(): readonly Family[] {
    return [...this.families.values()];
  }

  /** By the `Accept` header of a scraper. A source that fails is left out. */
  async scrape(accept?: string): Promise<Scrape> {
    const exposition = new Exposition(labelText(this.shared), asksForOpenMetrics(accept));
    const [found, ofProcess] = await Promise.all([this.found(), this.processFamilies()]);
    const body = exposition.text([...this.families.values(), ...found, ...ofProcess]);
    return { contentType: exposition.contentType, body };
  }

  /** In Prometheus' text format. */
  override async metrics(): Promise<string> {
    return (await this.scrape()).body;
  }

  private async found(): Promise<readonly Family[]> {
    const families = await Promise.all(
      this.sources.map(async (source) => {
        try {
          return (await source()) ?? [];
        } catch {
          return [];
        }
      }),
    );
    return families.flat();
  }

  private async processFamilies(): Promise<Family[]> {
    const collected = await this.getMetricsAsJSON();
    return collected.map(({ name, help, type, values }) => {
      const samples = values.map((value) => {
        const { metricName = name, labels } = value as typeof value & { readonly metricName?: string };
        const suffix = metricName.slice(name.length);
        return { suffix, labels: labelText(labels as Record<string, string>), value: value.value };
      });
      return { name, help, kind: type as unknown as FamilyKind, samples: () => samples };
    });
  }
}
