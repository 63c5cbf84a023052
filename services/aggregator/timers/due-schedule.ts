/** A round that waits for its close. */
export interface Due {
  /** When its close begins where it is the only one. */
  readonly at: number;
  /** It never begins before this. */
  readonly notBefore: number;
  /** What its close keeps others waiting. */
  readonly costMs: number;
}

/**
 * When the first of some closes has to begin, so that each of them begins by its `at` although they are worked
 * off one after the other. `dues` in the order of `at`.
 */
export function firstStart(dues: readonly Due[]): number {
  let next = Infinity;
  for (let i = dues.length - 1; i >= 0; i--) {
    const { at, notBefore, costMs } = dues[i]!;
    next = Math.max(notBefore, Math.min(at, next - costMs));
  }
  return next;
}
