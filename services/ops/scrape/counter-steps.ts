import type { Series } from './prometheus-text';
import type { ServiceLook } from './scrape-service';
import { growing } from './wanted-series';

/** By how much a counter of a process grew since the look before. */
export interface CounterStep {
  readonly process: string;
  readonly name: string;
  readonly labels: Series['labels'];
  readonly by: number;
}

const isBucket = ({ name }: Pick<Series, 'name'>): boolean => name.endsWith('_bucket');

/**
 * Steps of counters from look to look, taken once for all that is made of them. What a process had counted before it was
 * seen first is of the past; a counter that fell is of a process that was started anew, and one that is new of a process
 * that is known has just begun. One that stood still makes no step, but for buckets of a histogram that grew: they are its
 * shape.
 */
export class CounterSteps {
  private readonly last = new Map<string, Map<string, number>>();

  saw(looks: readonly ServiceLook[]): CounterStep[] {
    const present = new Set(looks.map(({ instance }) => instance.name));
    for (const name of this.last.keys()) if (!present.has(name)) this.last.delete(name);
    return looks.filter(({ fault }) => fault === null).flatMap((look) => this.steps(look));
  }

  private steps({ instance: { name: process }, series }: ServiceLook): CounterStep[] {
    const before = this.last.get(process);
    const now = before ?? new Map<string, number>();
    const counters = series.filter(({ name }) => growing.has(name));
    const steps = counters.map((one) => {
      const from = before === undefined ? one.value : (before.get(one.id) ?? 0);
      if (now.get(one.id) !== one.value) now.set(one.id, one.value);
      return one.value < from ? one.value : one.value - from;
    });
    this.last.set(process, now.size === counters.length ? now : valuesOf(counters));
    const grew = new Set(counters.filter((_, i) => steps[i]! > 0).map(({ name }) => name));
    return counters.flatMap((one, i) => {
      const { name, labels } = one;
      const isTold = steps[i]! > 0 || (isBucket(one) && grew.has(name));
      return isTold ? [{ process, name, labels, by: steps[i]! }] : [];
    });
  }
}

/** Without series that were there and are no more. */
function valuesOf(series: readonly Series[]): Map<string, number> {
  return new Map(series.map(({ id, value }) => [id, value]));
}
