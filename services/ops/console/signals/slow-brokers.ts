import type { Signal } from '#policy/operations/signals';
import { signal } from './causes';

const kept = 60;
/** So many say what is usual. */
const enough = 8;
const inARow = 4;
const timesUsual = 4;
const leastMs = 150;
/** Slow whatever is usual, or as long as nobody knows that. */
const slowMs = 400;

/** Looks at the brokers that take several times what they usually do: a slow network, or brokers that are busy. */
export class SlowBrokers {
  private usual: number[] = [];
  private slow = 0;

  saw(lookMs: number | null): Signal[] {
    if (lookMs === null) return [];
    const usual = this.usualMs();
    const isSlow = lookMs > (usual === null ? slowMs : Math.max(leastMs, timesUsual * usual));
    this.slow = isSlow ? this.slow + 1 : 0;
    if (!isSlow) this.usual = [...this.usual, lookMs].slice(-kept);
    if (this.slow < inARow) return [];
    const than = usual === null ? '' : `, usually ${Math.round(usual)} ms`;
    const words = `answers slowly: a look at its groups takes ${Math.round(lookMs)} ms${than}`;
    return [signal('slow:kafka', ['warn', 'Kafka', words, 'RoundhouseDecisionLatencyHigh'], ['kafka'])];
  }

  /** The lower quartile: those of a start, and of a busy moment, are not the usual ones. */
  private usualMs(): number | null {
    if (this.usual.length < enough) return null;
    return this.usual.toSorted((a, b) => a - b)[this.usual.length >> 2]!;
  }
}
