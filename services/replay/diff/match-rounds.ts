import type { SideRound } from './side';

export interface Matched<A = SideRound, B = A> {
  readonly a: A | null;
  readonly b: B | null;
}

interface Keyed {
  readonly key: string;
}

/**
 * Rounds of two sides by their keys. Both have about the same order, so few wait for their other half; those
 * of one side alone come at the end.
 */
export function* matchRounds<A extends Keyed, B extends Keyed>(
  a: Iterable<A>,
  b: Iterable<B>,
): Generator<Matched<A, B>> {
  const [left, right] = [new WaitingSide(a), new WaitingSide(b)];
  for (;;) {
    const one = left.next();
    if (one !== null) {
      const half = right.take(one.key);
      if (half === null) left.wait(one);
      else yield { a: one, b: half };
    }
    const other = right.next();
    if (other !== null) {
      const half = left.take(other.key);
      if (half === null) right.wait(other);
      else yield { a: half, b: other };
    }
    if (one === null && other === null) break;
  }
  for (const round of left.waiting.values()) yield { a: round, b: null };
  for (const round of right.waiting.values()) yield { a: null, b: round };
}

/** Rounds of one side, and those of them that wait for their other half. */
class WaitingSide<T extends Keyed> {
  readonly waiting = new Map<string, T>();
  private readonly rounds: Iterator<T>;

  constructor(rounds: Iterable<T>) {
    this.rounds = rounds[Symbol.iterator]();
  }

  next(): T | null {
    const next = this.rounds.next();
    return next.done === true ? null : next.value;
  }

  wait(round: T): void {
    this.waiting.set(round.key, round);
  }

  take(key: string): T | null {
    const found = this.waiting.get(key) ?? null;
    this.waiting.delete(key);
    return found;
  }
}
