import type { InputLease } from '#lib/engine-client/port';
import type { SizeClass } from '#native/shm/size-classes';

/**
 * Slots that are lent before their request has begun, a third of each class at most: requests that wait with the
 * slot of their inputs must leave others for outputs, or all would wait for each other.
 */
export class LentSlots {
  private readonly lent: number[];

  constructor(private readonly classes: readonly SizeClass[]) {
    this.lent = classes.map(() => 0);
  }

  /** What `take` gives, counted until it is released; undefined where a third is lent. */
  lend<Lease extends InputLease>(bytes: number, take: () => Lease | undefined): Lease | undefined {
    const index = this.classes.findIndex(({ slotBytes }) => slotBytes >= bytes);
    if (index < 0 || this.lent[index]! >= Math.floor(this.classes[index]!.count / 3)) return undefined;
    const lease = take();
    if (lease === undefined) return undefined;
    this.lent[index]! += 1;
    let isBack = false;
    const release = (): void => {
      if (!isBack) this.lent[index]! -= 1;
      isBack = true;
      lease.release();
    };
    return { ...lease, release };
  }
}
