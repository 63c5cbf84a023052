import type { AttemptEnd, RoutedWork } from '../remote';
import type { SimulatedRoute, SimulatedRouter } from './simulated-router';

const mostAttempts = 3;
const noProbes: readonly string[] = [];

interface Known {
  readonly name: string | null;
  /** Last reported wait, in milliseconds, and what was sent there since and has not come back. */
  waitMs: number;
  inFlight: number;
}

/**
 * What is common to the usual policies: all engines are alike, the worker's own among them; what fails is sent again
 * by the same rule, three times at most, not to the same one; what says nothing is waited for.
 */
abstract class Baseline implements SimulatedRouter {
  protected readonly all: Known[];

  constructor(
    remotes: readonly string[],
    protected readonly random: () => number,
  ) {
    this.all = [null, ...remotes].map((name) => ({ name, waitMs: 0, inFlight: 0 }));
  }

  protected abstract choose(suits: (known: Known) => boolean): Known | undefined;

  route(
    _work: RoutedWork,
    localMs: number | null,
    _nowMs: number,
    failedOn: ReadonlySet<string>,
  ): SimulatedRoute | null {
    this.all[0]!.waitMs = localMs ?? Infinity;
    const chosen = this.choose(({ name }) => (name === null ? localMs !== null : !failedOn.has(name)));
    if (chosen === undefined) return null;
    chosen.inFlight += 1;
    return { remote: chosen.name, overdueMs: Infinity, attempt: chosen };
  }

  ended(attempt: unknown, end: AttemptEnd): void {
    const known = attempt as Known;
    known.inFlight -= 1;
    if (end.kind === 'good' && end.load !== null) known.waitMs = end.load.waitMs;
  }

  mayGiveUp(): boolean {
    return false;
  }
  mayRetry(attempts: number): boolean {
    return attempts < mostAttempts;
  }
  probesDue(): readonly string[] {
    return noProbes;
  }
  probed(): void {}

  protected anyOf(suits: (known: Known) => boolean): Known | undefined {
    for (let draw = 0; draw < 64; draw += 1) {
      const known = this.all[Math.floor(this.random() * this.all.length)]!;
      if (suits(known)) return known;
    }
    return this.all.find(suits);
  }
}

export class RandomRouter extends Baseline {
  protected choose(suits: (known: Known) => boolean): Known | undefined {
    return this.anyOf(suits);
  }
}

export class RoundRobin extends Baseline {
  private next = Math.floor(this.random() * this.all.length);

  protected choose(suits: (known: Known) => boolean): Known | undefined {
    for (let step = 0; step < this.all.length; step += 1) {
      const known = this.all[this.next++ % this.all.length]!;
      if (suits(known)) return known;
    }
    return undefined;
  }
}

/** By the last report alone; the first of equals after a random place. */
export class LeastLoaded extends Baseline {
  protected choose(suits: (known: Known) => boolean): Known | undefined {
    const from = Math.floor(this.random() * this.all.length);
    let best: Known | undefined;
    for (let step = 0; step < this.all.length; step += 1) {
      const known = this.all[(from + step) % this.all.length]!;
      if (suits(known) && (best === undefined || known.waitMs < best.waitMs)) best = known;
    }
    return best;
  }
}

/** Two at random, and of them the one with less of ours under way, then the smaller reported wait. */
export class PowerOfTwo extends Baseline {
  protected choose(suits: (known: Known) => boolean): Known | undefined {
    const one = this.anyOf(suits);
    const other = this.anyOf((known) => known !== one && suits(known));
    if (one === undefined || other === undefined) return one ?? other;
    if (one.inFlight !== other.inFlight) return one.inFlight < other.inFlight ? one : other;
    return one.waitMs <= other.waitMs ? one : other;
  }
}
