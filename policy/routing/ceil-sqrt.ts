/** Smallest whole r with r² ≥ n, exact for whole n in 0..2^53 − 1. */
export function ceilSqrt(n: number): number {
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(`ceilSqrt of ${n}`);
  let root = Math.ceil(Math.sqrt(n));
  while (root > 0 && (root - 1) * (root - 1) >= n) root -= 1;
  while (root * root < n) root += 1;
  return root;
}
