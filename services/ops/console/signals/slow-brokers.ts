import type { Signal } from '#policy/operations/signals';
import { signal } from './causes';

const kept = 60;
const inARow = 3;
const timesUsual = 4;
const leastMs = 150;

/** Looks at the brokers that take several times what they usually do: a slow network, or brokers that are busy. */
export class SlowBrokers {
  private usual: number[] = [];
  private slow = 0;

  saw(lookMs: number | null): Signal[] {
    if (lookMs === null) return [];
    const median = this.usual.toSorted((a, b) => a - b)[this.usual.length >> 1];
    const isSlow = median !== undefined && lookMs > Math.max(leastMs, timesUsual * median);
    this.slow = isSlow ? this.slow + 1 : 0;
    if (!isSlow) this.usual = [...this.usual, lookMs].slice(-kept);
    if (this.slow < inARow) return [];
    const words = `answers slowly: a look at its groups takes ${Math.round(lookMs)} ms, usually ${Math.round(median!)} ms`;
    return [signal('slow:kafka', ['warn', 'Kafka', words, 'RoundhouseDecisionLatencyHigh'], ['kafka'])];
  }
}
