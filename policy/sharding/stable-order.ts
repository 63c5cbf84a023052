const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;
const WORD = 2 ** 32;

/** The positions of keys in ascending order, equal ones by position. Keys are whole, from 0 to 2^53 − 1. */
export function stableOrder(keys: Float64Array): Int32Array {
  let largest = 0;
  for (let at = 0; at < keys.length; at += 1) if (keys[at]! > largest) largest = keys[at]!;
  const words = { low: new Uint32Array(keys.length), high: new Uint32Array(keys.length) };
  let order = new Int32Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) {
    order[at] = at;
    words.low[at] = keys[at]! % WORD;
    words.high[at] = keys[at]! / WORD;
  }
  let spare = new Int32Array(keys.length);
  const start = new Int32Array(DIGITS + 1);
  for (let unit = 1, digit = 0; unit <= largest; unit *= DIGITS, digit += 1) {
    sortByDigit(digit < 2 ? words.low : words.high, digit % 2, order, spare, start);
    [order, spare] = [spare, order];
  }
  return order;
}

/** One stable counting sort by the lower or the upper half of the words. */
function sortByDigit(
  words: Uint32Array,
  half: number,
  from: Int32Array,
  to: Int32Array,
  start: Int32Array,
): void {
  const shift = half * DIGIT_BITS;
  start.fill(0);
  for (let at = 0; at < words.length; at += 1) start[1 + ((words[at]! >>> shift) & 0xffff)]! += 1;
  for (let digit = 0; digit < DIGITS; digit += 1) start[digit + 1]! += start[digit]!;
  for (let at = 0; at < from.length; at += 1) {
    const item = from[at]!;
    const digit = (words[item]! >>> shift) & 0xffff;
    to[start[digit]!] = item;
    start[digit]! += 1;
  }
}
