export interface SizeClass {
  readonly slotBytes: number;
  readonly count: number;
}

const page = 4_096;
const KiB = 1_024;
const MiB = 1_024 * KiB;

/** Share of the pool that each size gets; a slot holds a little more than a power of two, for the alignment. */
const plan = [
  { slotBytes: 8 * KiB, share: 0.01 },
  { slotBytes: 72 * KiB, share: 0.04 },
  { slotBytes: MiB + 64 * KiB, share: 0.2 },
  { slotBytes: 4 * MiB + 64 * KiB, share: 0.5 },
  { slotBytes: 16 * MiB + 64 * KiB, share: 0.25 },
] as const;

/**
 * Size classes of a pool of about `poolBytes`. Memory is used only where a slot has been written to, and the
 * slot given back last is taken first. Classes of which not two fit (one each way) are left out.
 */
export function sizeClasses(poolBytes: number): SizeClass[] {
  const classes = plan
    .map(({ slotBytes, share }) => ({ slotBytes, count: Math.floor((poolBytes * share) / slotBytes) }))
    .filter(({ count }) => count >= 2);
  return classes.length > 0
    ? classes
    : [{ slotBytes: page, count: Math.max(2, Math.floor(poolBytes / page)) }];
}
