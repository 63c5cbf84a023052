import type { NearColumns } from './near-columns';
import type { PackingChoice } from './packing-choice';
import type { Region } from './region';
import type { SeededRandom } from './seeded-random';

const BLOCK = 64;

/**
 * Draws couriers and orders by what a choice loses there against the bound: a courier its largest reduced
 * profit less that of its column, an order that nobody has its price. Orders are numbered behind couriers.
 * Losses and their sums are exact, so that a sum can be kept up by what changed.
 */
export class LossDraw {
  private readonly losses: Float64Array;
  /** Of `BLOCK` losses each. */
  private readonly sums: Float64Array;
  private total = 0;

  constructor(
    private readonly near: NearColumns,
    private readonly price: Float64Array,
    choice: PackingChoice,
  ) {
    this.losses = new Float64Array(near.best.length + price.length);
    this.sums = new Float64Array(Math.ceil(this.losses.length / BLOCK));
    for (let courier = 0; courier < near.best.length; courier++) this.setCourier(courier, choice);
    for (let order = 0; order < price.length; order++) this.setOrder(order, choice);
  }

  get size(): number {
    return this.losses.length;
  }

  /** Takes over what changed within a region. */
  refresh(choice: PackingChoice, { couriers, orders }: Pick<Region, 'couriers' | 'orders'>): void {
    for (const courier of couriers) this.setCourier(courier, choice);
    for (const order of orders) this.setOrder(order, choice);
  }

  /** The last one where nothing is lost. */
  draw(random: SeededRandom): number {
    const { losses, sums } = this;
    const goal = random.unit() * this.total;
    let sum = 0;
    let block = 0;
    while (block < sums.length && sum + sums[block]! <= goal) sum += sums[block++]!;
    for (let at = block * BLOCK; at < losses.length; at++) {
      sum += losses[at]!;
      if (sum > goal) return at;
    }
    return losses.length - 1;
  }

  private setCourier(courier: number, choice: PackingChoice): void {
    const { best, reduced } = this.near;
    const column = choice.ofCourier[courier]!;
    this.set(courier, best[courier]! - (column < 0 ? 0 : reduced[column]!));
  }

  private setOrder(order: number, choice: PackingChoice): void {
    this.set(this.near.best.length + order, choice.ofOrder[order]! < 0 ? this.price[order]! : 0);
  }

  private set(at: number, loss: number): void {
    const more = loss - this.losses[at]!;
    this.losses[at] = loss;
    this.sums[Math.floor(at / BLOCK)]! += more;
    this.total += more;
  }
}
