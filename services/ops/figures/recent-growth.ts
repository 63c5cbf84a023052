import type { CounterStep } from '../scrape/counter-steps';
import type { Series } from '../scrape/prometheus-text';

interface Look {
  readonly at: number;
  readonly seconds: number;
  readonly steps: ReadonlyMap<string, readonly CounterStep[]>;
}

type Passes = (labels: Series['labels']) => boolean;
const any: Passes = () => true;

function byName(steps: readonly CounterStep[]): Look['steps'] {
  const found = new Map<string, CounterStep[]>();
  for (const step of steps) {
    const same = found.get(step.name);
    if (same === undefined) found.set(step.name, [step]);
    else same.push(step);
  }
  return found;
}

/** How counters and buckets grew of late, over all processes. */
export class RecentGrowth {
  private lastAt: number | null = null;
  private readonly looks: Look[] = [];

  constructor(private readonly windowMs: number) {}

  saw(steps: readonly CounterStep[], at: number): void {
    const { lastAt, looks } = this;
    this.lastAt = at;
    // A clock that was set back: what was of late isn't any more, and how long this took isn't known.
    if (lastAt !== null && at <= lastAt) return void looks.splice(0);
    if (lastAt !== null) looks.push({ at, seconds: (at - lastAt) / 1_000, steps: byName(steps) });
    while (looks.length > 0 && looks[0]!.at <= at - this.windowMs) looks.shift();
  }

  get seconds(): number {
    return this.looks.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** Of all series of a name whose labels pass. */
  total(name: string, passes = any): number {
    return this.of(name, passes).reduce((sum, { by }) => sum + by, 0);
  }

  /** A second; null before the second look. */
  rate(name: string, passes = any): number | null {
    const { seconds } = this;
    return seconds === 0 ? null : this.total(name, passes) / seconds;
  }

  /** Of a histogram, cumulative as it has them, by their upper ends. */
  buckets(name: string, passes = any): Map<number, number> {
    const byEnd = new Map<number, number>();
    for (const { labels, by } of this.of(`${name}_bucket`, passes)) {
      const end = Number(labels['le']?.replace('Inf', 'Infinity'));
      byEnd.set(end, (byEnd.get(end) ?? 0) + by);
    }
    return byEnd;
  }

  private of(name: string, passes: Passes): CounterStep[] {
    return this.looks.flatMap(({ steps }) => (steps.get(name) ?? []).filter(({ labels }) => passes(labels)));
  }
}
