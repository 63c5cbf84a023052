import type { UnassignedReason } from '#schemas/domain';
import { costOf, type OrderChange, type RoundDifference } from './compare-rounds';
import type { Matched } from './match-rounds';
import type { SideRound } from './side';

interface SideFigures {
  decisions: number;
  assigned: number;
  unassigned: number;
  cost: bigint;
  late: number;
  closedByDeadline: number;
  coverageSum: number;
  readonly reasons: Partial<Record<UnassignedReason, number>>;
}

export interface DiffFigures {
  /** With a decision on both sides. */
  readonly compared: number;
  /** With another content. */
  readonly changed: number;
  /** In which an order has another courier, plan, commitment or reason; not only other models, say. */
  readonly redispatched: number;
  /** Rounds that B lacks, or has no decision for, where A has one; and the other way round. */
  readonly missingInB: number;
  readonly missingInA: number;
  readonly orders: Readonly<Record<OrderChange['change'], number>>;
  readonly a: Readonly<SideFigures>;
  readonly b: Readonly<SideFigures>;
  /** The dearest for B first. */
  readonly worst: readonly RoundDifference[];
}

const emptySide = (): SideFigures => ({
  ...{ decisions: 0, assigned: 0, unassigned: 0, cost: 0n, late: 0, closedByDeadline: 0, coverageSum: 0 },
  reasons: {},
});

/** Rounds that B can't show are worse than any that it can. */
function isWorse(one: RoundDifference, other: RoundDifference): boolean {
  if (one.errors.length !== other.errors.length) return one.errors.length > other.errors.length;
  return one.costB - one.costA > other.costB - other.costA;
}

/** Sums up as rounds come by; keeps the worst few of them. */
export class DiffSummary {
  private compared = 0;
  private changed = 0;
  private redispatched = 0;
  private missingInA = 0;
  private missingInB = 0;
  private readonly orders = { moved: 0, lost: 0, gained: 0, reason: 0, replanned: 0, stage: 0 };
  private readonly a = emptySide();
  private readonly b = emptySide();
  private worst: RoundDifference[] = [];

  constructor(private readonly keptWorst: number) {}

  /** Costs are summed over rounds that both sides decided, so that they can be compared. */
  add({ a, b }: Matched, difference: RoundDifference | null): void {
    const [left, right] = [a?.content ?? null, b?.content ?? null];
    if (left !== null && right === null) this.missingInB += 1;
    if (left === null && right !== null) this.missingInA += 1;
    if (left !== null && right !== null) {
      this.compared += 1;
      this.addSide(this.a, a!);
      this.addSide(this.b, b!);
    }
    if (difference === null) return;
    if (left !== null && right !== null) this.changed += 1;
    if (difference.orders.length > 0) this.redispatched += 1;
    for (const { change } of difference.orders) this.orders[change] += 1;
    this.keep(difference);
  }

  private addSide(side: SideFigures, round: SideRound): void {
    const { assignments, unassigned, coverage, closedBy } = round.content!;
    side.decisions += 1;
    side.assigned += assignments.reduce((sum, { orderIds }) => sum + orderIds.length, 0);
    side.unassigned += unassigned.length;
    side.cost += costOf(round);
    side.coverageSum += coverage;
    if ((round.lateByMs ?? 0) > 0) side.late += 1;
    if (closedBy === 'deadline') side.closedByDeadline += 1;
    for (const { reason } of unassigned) side.reasons[reason] = (side.reasons[reason] ?? 0) + 1;
  }

  private keep(difference: RoundDifference): void {
    const at = this.worst.findIndex((kept) => isWorse(difference, kept));
    this.worst.splice(at < 0 ? this.worst.length : at, 0, difference);
    this.worst = this.worst.slice(0, this.keptWorst);
  }

  figures(): DiffFigures {
    const { compared, changed, redispatched, missingInA, missingInB, orders, a, b, worst } = this;
    return { compared, changed, redispatched, missingInA, missingInB, orders: { ...orders }, a, b, worst };
  }
}
