export interface QueuedDecision {
  /** Of its run. */
  readonly zone: string;
  readonly sequence: bigint;
  readonly deadline: number;
}

interface Placed<T> {
  readonly decision: T;
  /** Its deadline, or that of a newer round of its zone, whichever is first. */
  dueBy: number;
}

/**
 * Decisions that wait to be made, the nearest deadline first, and those of a zone in the order of their rounds: one that a more
 * urgent one of its zone waits for is as urgent as that.
 */
export class DecisionQueue<T extends QueuedDecision> {
  private placed: Placed<T>[] = [];

  get length(): number {
    return this.placed.length;
  }

  inOrder(): T[] {
    return this.placed.map(({ decision }) => decision);
  }

  add(decision: T): void {
    const newer = this.placed.find((other) => isOlder(decision, other.decision));
    const dueBy = Math.min(decision.deadline, newer?.dueBy ?? Infinity);
    const isHurried = (other: Placed<T>) => other.dueBy > dueBy && isOlder(other.decision, decision);
    const hurried = this.placed.filter(isHurried);
    if (hurried.length > 0) this.placed = this.placed.filter((other) => !isHurried(other));
    for (const other of hurried) other.dueBy = dueBy;
    const behind = this.placed.findIndex((other) => other === newer || other.dueBy > dueBy);
    const at = behind < 0 ? this.placed.length : behind;
    this.placed.splice(at, 0, ...hurried, { decision, dueBy });
  }

  takeAt(index: number): T {
    return this.placed.splice(index, 1)[0]!.decision;
  }

  remove(decision: T): void {
    this.placed = this.placed.filter((other) => other.decision !== decision);
  }
}

function isOlder(one: QueuedDecision, other: QueuedDecision): boolean {
  return one.zone === other.zone && one.sequence < other.sequence;
}
