import type { SideRound } from './side';

export interface Matched {
  readonly a: SideRound | null;
  readonly b: SideRound | null;
}

/**
 * Rounds of two sides by their keys. Both have about the same order, so few wait for their other half; those
 * of one side alone come at the end.
 */
export function* matchRounds(a: Iterable<SideRound>, b: Iterable<SideRound>): Generator<Matched> {
  const sides = [a, b].map((rounds) => ({
    rounds: rounds[Symbol.iterator](),
    waiting: new Map<string, SideRound>(),
  }));
  const [left, right] = sides as [(typeof sides)[number], (typeof sides)[number]];
  for (let open = true; open;) {
    open = false;
    for (const [own, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const next = own.rounds.next();
      if (next.done === true) continue;
      open = true;
      const half = other.waiting.get(next.value.key);
      if (half === undefined) own.waiting.set(next.value.key, next.value);
      else {
        other.waiting.delete(next.value.key);
        yield own === left ? { a: next.value, b: half } : { a: half, b: next.value };
      }
    }
  }
  for (const round of left.waiting.values()) yield { a: round, b: null };
  for (const round of right.waiting.values()) yield { a: null, b: round };
}
