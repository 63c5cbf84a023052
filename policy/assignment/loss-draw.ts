import type { NearColumns } from './near-columns';
import type { PackingChoice } from './packing-choice';
import type { SeededRandom } from './seeded-random';

/**
 * Draws couriers and orders by what a choice loses there against the bound: a courier its largest reduced
 * profit less that of its column, an order that nobody has its price. Orders are numbered behind couriers.
 */
export class LossDraw {
  /** Running sums. */
  private readonly sums: Float64Array;

  constructor(
    private readonly near: NearColumns,
    private readonly price: Float64Array,
  ) {
    this.sums = new Float64Array(near.best.length + price.length);
  }

  /** Takes over a changed choice; gives the count of entries as work. */
  refresh(choice: PackingChoice): number {
    const { best, reduced } = this.near;
    let sum = 0;
    for (let courier = 0; courier < best.length; courier++) {
      const column = choice.ofCourier[courier]!;
      sum += best[courier]! - (column < 0 ? 0 : reduced[column]!);
      this.sums[courier] = sum;
    }
    for (let order = 0; order < this.price.length; order++) {
      if (choice.ofOrder[order]! < 0) sum += this.price[order]!;
      this.sums[best.length + order] = sum;
    }
    return this.sums.length;
  }

  draw(random: SeededRandom): number {
    const goal = random.unit() * this.sums[this.sums.length - 1]!;
    let low = 0;
    let high = this.sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sums[middle]! > goal) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
