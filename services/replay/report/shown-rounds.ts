import { costOf } from '../diff/compare-rounds';
import type { JoinedRound } from './joined-rounds';

/** Those with the highest mark; the earlier of equals. */
class Highest {
  private kept: { readonly joined: JoinedRound; readonly mark: bigint }[] = [];

  constructor(private readonly most: number) {}

  add(joined: JoinedRound, mark: bigint): void {
    const at = this.kept.findIndex((one) => mark > one.mark);
    this.kept.splice(at < 0 ? this.kept.length : at, 0, { joined, mark });
    this.kept = this.kept.slice(0, this.most);
  }

  get rounds(): JoinedRound[] {
    return this.kept.map(({ joined }) => joined);
  }
}

/** Rounds to draw: of those that differ the ones that B decides the worst, then those with the most orders. */
export class ShownRounds {
  private readonly worst: Highest;
  private readonly busiest: Highest;

  constructor(private readonly most: number) {
    this.worst = new Highest(most);
    this.busiest = new Highest(most);
  }

  /** A round whose places aren't known can't be drawn. */
  add(joined: JoinedRound): void {
    const { a, b, known } = joined;
    if (known === null) return;
    this.busiest.add(joined, BigInt(known.round.orders.length));
    if (a === null || b === null || a.contentHash === b.contentHash) return;
    this.worst.add(joined, costOf(b) - costOf(a));
  }

  rounds(): JoinedRound[] {
    return [...new Set([...this.worst.rounds, ...this.busiest.rounds])].slice(0, this.most);
  }
}
