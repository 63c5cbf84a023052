import type { OrderPrices } from './order-prices';
import { PackingChoice } from './packing-choice';
import { passWork, type PackingRows } from './packing-rows';

/**
 * Couriers in the order of their largest reduced profit take what still fits: first the largest reduced
 * profit above 0, then, where nothing was left, the largest profit. Its visits are counted among those of the prices.
 */
export function pricedGreedy(rows: PackingRows, prices: OrderPrices): PackingChoice {
  const { columns } = rows;
  const reduced = new Float64Array(columns.count);
  const best = new Float64Array(columns.courierCount);
  for (let courier = 0; courier < columns.courierCount; courier++) {
    for (let at = rows.courierStart[courier]!; at < rows.courierStart[courier + 1]!; at++) {
      const value = prices.reducedAt(at);
      reduced[rows.byCourier[at]!] = value;
      if (value > best[courier]!) best[courier] = value;
    }
  }
  const couriers = Int32Array.from({ length: columns.courierCount }, (_, courier) => courier);
  couriers.sort((a, b) => best[b]! - best[a]! || a - b);
  prices.work += passWork(rows) + rows.byCourier.length;
  const choice = new PackingChoice(columns);
  for (const courier of couriers) takeLargest(rows, choice, courier, reduced);
  for (const courier of couriers) {
    if (choice.ofCourier[courier]! < 0) takeLargest(rows, choice, courier, columns.profit);
  }
  return choice;
}

function takeLargest(rows: PackingRows, choice: PackingChoice, courier: number, value: Float64Array): void {
  let largest = 0;
  let taken = -1;
  for (let at = rows.courierStart[courier]!; at < rows.courierStart[courier + 1]!; at++) {
    const column = rows.byCourier[at]!;
    if (value[column]! <= largest || !choice.fits(column)) continue;
    largest = value[column]!;
    taken = column;
  }
  if (taken >= 0) choice.take(taken);
}
