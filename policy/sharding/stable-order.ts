const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/** The positions of keys in ascending order, equal ones by position. Keys are whole, from 0 to 2^53 − 1. */
export function stableOrder(keys: Float64Array): Int32Array {
  let largest = 0;
  for (let at = 0; at < keys.length; at += 1) if (keys[at]! > largest) largest = keys[at]!;
  let order = new Int32Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) order[at] = at;
  let spare = new Int32Array(keys.length);
  const start = new Int32Array(DIGITS + 1);
  for (let unit = 1; unit <= largest; unit *= DIGITS) {
    sortByDigit(keys, unit, order, spare, start);
    [order, spare] = [spare, order];
  }
  return order;
}

/** One stable counting sort by the 16 bits from `unit` on. */
function sortByDigit(
  keys: Float64Array,
  unit: number,
  from: Int32Array,
  to: Int32Array,
  start: Int32Array,
): void {
  start.fill(0);
  for (let at = 0; at < from.length; at += 1) start[1 + (Math.floor(keys[at]! / unit) % DIGITS)]! += 1;
  for (let digit = 0; digit < DIGITS; digit += 1) start[digit + 1]! += start[digit]!;
  for (let at = 0; at < from.length; at += 1) {
    const item = from[at]!;
    const digit = Math.floor(keys[item]! / unit) % DIGITS;
    to[start[digit]!] = item;
    start[digit]! += 1;
  }
}
