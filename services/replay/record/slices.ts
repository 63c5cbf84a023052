/** How much of the time is read at once, so that about so many bytes of messages are in memory. */
const WANTED_BYTES = 16 * 1024 * 1024;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;
const MOST_GROWTH = 4;

export const FIRST_SLICE_MS = 10_000;

/** The length of the next slice, after one of `sliceMs` had `bytes`. */
export function nextSliceMs(sliceMs: number, bytes: number): number {
  const wanted = bytes === 0 ? Infinity : (sliceMs * WANTED_BYTES) / bytes;
  const bounded = Math.min(wanted, sliceMs * MOST_GROWTH, LONGEST_MS);
  return Math.max(SHORTEST_MS, Math.floor(bounded));
}
