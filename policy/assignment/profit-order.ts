const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/** Columns by profit, the largest first, the smaller column first among equals. Profits are whole, from 0 to 2^52. */
export function byLargestProfit(profit: Float64Array): Int32Array {
  let largest = 0;
  for (let column = 0; column < profit.length; column++) largest = Math.max(largest, profit[column]!);
  let order: Int32Array = Int32Array.from(profit.keys());
  let spare: Int32Array = new Int32Array(order.length);
  const start = new Int32Array(DIGITS + 1);
  for (let unit = 1; unit <= largest; unit *= DIGITS) {
    sortByDigit(order, spare, start, (column) => Math.floor(profit[column]! / unit) % DIGITS);
    [order, spare] = [spare, order];
  }
  return order;
}

/** One stable counting sort, larger digits first. */
function sortByDigit(
  from: Int32Array,
  to: Int32Array,
  start: Int32Array,
  digitOf: (column: number) => number,
): void {
  start.fill(0);
  for (let at = 0; at < from.length; at++) start[DIGITS - digitOf(from[at]!)]!++;
  for (let digit = 0; digit < DIGITS; digit++) start[digit + 1]! += start[digit]!;
  for (let at = 0; at < from.length; at++) to[start[DIGITS - 1 - digitOf(from[at]!)]!++] = from[at]!;
}
