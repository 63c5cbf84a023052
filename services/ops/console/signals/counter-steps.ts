import type { Series } from '../../scrape/prometheus-text';
import type { ServiceLook } from '../../scrape/scrape-service';

/** By how much a counter of a process grew since the look before. */
export interface CounterStep {
  readonly process: string;
  readonly name: string;
  readonly labels: Series['labels'];
  readonly by: number;
}

/**
 * Steps of counters from look to look. What a process had counted before it was seen first is of the past; a counter that
 * fell is of a process that was started anew, and one that is new of a process that is known has just begun.
 */
export class CounterSteps {
  private readonly last = new Map<string, Map<string, number>>();

  constructor(private readonly names: ReadonlySet<string>) {}

  saw(looks: readonly ServiceLook[]): CounterStep[] {
    const present = new Set(looks.map(({ instance }) => instance.name));
    for (const name of this.last.keys()) if (!present.has(name)) this.last.delete(name);
    return looks.filter(({ fault }) => fault === null).flatMap((look) => this.steps(look));
  }

  private steps({ instance: { name: process }, series }: ServiceLook): CounterStep[] {
    const before = this.last.get(process);
    const counters = series.filter(({ name }) => this.names.has(name));
    this.last.set(process, new Map(counters.map(({ id, value }) => [id, value])));
    if (before === undefined) return [];
    return counters.flatMap(({ id, name, labels, value }) => {
      const from = before.get(id) ?? 0;
      const by = value < from ? value : value - from;
      return by > 0 ? [{ process, name, labels, by }] : [];
    });
  }
}
