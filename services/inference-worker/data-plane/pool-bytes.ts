import { sizeClasses, type SizeClass } from '#native/shm/size-classes';
import type { MemoryOf } from '../placement/placement';

/** Payloads up to this size travel in the frame and need no slot. */
const inFrameBytes = 2_048;

/** A sender of shards may invent any number of them. */
const mostModels = 256;

/** What has no slot goes another way: it takes nothing of the pool. */
function slotBytes(classes: readonly SizeClass[], bytes: number): number {
  if (bytes <= inFrameBytes) return 0;
  return classes.find((one) => one.slotBytes >= bytes)?.slotBytes ?? 0;
}

/**
 * Bytes of shared memory that a request takes: a slot for its tensors and one for its answer, which is as large as the
 * largest answer of its model so far.
 */
export function poolBytesOf(poolBytes: number): MemoryOf {
  const classes = sizeClasses(poolBytes);
  const largest = new Map<string, number>();
  return ({ request: { model }, bytesIn, bytesOut }) => {
    const out = Math.max(bytesOut, largest.get(model) ?? 0);
    if (largest.has(model) || largest.size < mostModels) largest.set(model, out);
    return slotBytes(classes, bytesIn) + slotBytes(classes, out);
  };
}
