import { stableOrder } from '../sharding/stable-order';

/** Columns by profit, the largest first, the smaller column first among equals. Profits are whole, from 0 to 2^52. */
export function byLargestProfit(profit: Float64Array): Int32Array {
  let largest = 0;
  for (let column = 0; column < profit.length; column++) largest = Math.max(largest, profit[column]!);
  const lacking = new Float64Array(profit.length);
  for (let column = 0; column < profit.length; column++) lacking[column] = largest - profit[column]!;
  return stableOrder(lacking);
}
