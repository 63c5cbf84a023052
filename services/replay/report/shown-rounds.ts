import { costOf } from '../diff/compare-rounds';
import type { JoinedRound } from './joined-rounds';
import { Thinned } from './thinned';

/** Rounds to draw: those that B decides the worst, otherwise some of the whole range. */
export class ShownRounds {
  private worst: { readonly joined: JoinedRound; readonly dearer: bigint }[] = [];
  private readonly some: Thinned<JoinedRound>;

  constructor(private readonly most: number) {
    this.some = new Thinned(Math.max(2, most));
  }

  /** A round whose places aren't known can't be drawn. */
  add(joined: JoinedRound): void {
    if (this.most === 0 || joined.known === null) return;
    this.some.add(joined);
    const { a, b } = joined;
    if (a === null || b === null || a.contentHash === b.contentHash) return;
    const dearer = costOf(b) - costOf(a);
    const at = this.worst.findIndex((kept) => dearer > kept.dearer);
    this.worst.splice(at < 0 ? this.worst.length : at, 0, { joined, dearer });
    this.worst = this.worst.slice(0, this.most);
  }

  rounds(): JoinedRound[] {
    const worst = this.worst.map(({ joined }) => joined);
    return [...new Set([...worst, ...this.some.values])].slice(0, this.most);
  }
}
