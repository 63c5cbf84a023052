import { cpuResource } from './phases';
import type { HeldShard } from './waiting-shards';

/**
 * What the shards of each model have still to do, waiting or under way. Instances serve one model each, so a model's
 * shards are a chain of their own, and the longest chain decides when all is done.
 */
export class ModelWork {
  private readonly ms = new Map<string, number>();

  add(held: HeldShard): void {
    this.change(held, 1);
  }

  remove(held: HeldShard): void {
    this.change(held, -1);
  }

  /** Beside others that have less. One model alone is not: there is nothing to go before. */
  isLongest(model: string): boolean {
    const own = this.ms.get(model) ?? 0;
    let others = 0;
    for (const [name, ms] of this.ms) if (name !== model) others = Math.max(others, ms);
    return others > 0 && own > others;
  }

  private change({ shard: { model }, shareMs }: HeldShard, sign: 1 | -1): void {
    const sum = shareMs.reduce((ms, each, resource) => (resource === cpuResource ? ms : ms + each), 0);
    const ms = (this.ms.get(model) ?? 0) + sign * sum;
    // What is left of rounding is nothing.
    if (ms > 1e-6) this.ms.set(model, ms);
    else this.ms.delete(model);
  }
}
