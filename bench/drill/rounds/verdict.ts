import type { Decision } from '#schemas/domain';
import { check, equal, type Check } from '../drill';
import type { Published } from './decided';
import type { SentRound } from './sender';

export interface Verdict {
  readonly accepted: number;
  readonly refused: number;
  readonly lost: number;
  /** Rounds with two different decisions. */
  readonly decidedTwice: number;
  /** Shards that a decision counted twice. */
  readonly shardsTwice: number;
  readonly late: number;
  /** Without the mark of an outage. */
  readonly lateUnmarked: number;
  readonly marked: number;
  readonly coverage: number;
  /** Orders of rounds that are neither assigned nor have one reason, or both. */
  readonly unexplained: number;
}

/** Of the open orders of a round those that its decision doesn't have once: in an assignment, or left out with a reason. */
export function unexplainedOrders(
  { content }: Pick<Decision, 'content'>,
  openOrderIds: readonly string[],
): number {
  const seen = new Map<string, number>(openOrderIds.map((orderId) => [orderId, 0]));
  const add = (orderId: string): void => void seen.set(orderId, (seen.get(orderId) ?? 0) + 1);
  for (const { orderIds } of content.assignments) orderIds.forEach(add);
  for (const { orderId, reason } of content.unassigned) if (reason.length > 0) add(orderId);
  return [...seen.values()].filter((count) => count !== 1).length;
}

const shardsCountedTwice = ({ content }: Decision): number =>
  content.shards.length - new Set(content.shards.map(({ shardIndex }) => shardIndex)).size;

export function verdictOf(
  rounds: readonly SentRound[],
  published: ReadonlyMap<string, readonly Published[]>,
): Verdict {
  const accepted = rounds.filter((round) => round.accepted);
  const firsts = accepted.flatMap(({ roundId }) => published.get(roundId)?.slice(0, 1) ?? []);
  const unexplainedOf = ({ roundId, openOrderIds }: SentRound): number => {
    const first = published.get(roundId)?.[0];
    return first === undefined ? 0 : unexplainedOrders(first.decision, openOrderIds);
  };
  const isLate = ({ decision, appendedAt }: Published) => appendedAt > decision.deadline;
  const all = [...published.values()];
  const sum = (of: (one: Published) => number) => firsts.reduce((total, one) => total + of(one), 0);
  return {
    accepted: accepted.length,
    refused: rounds.length - accepted.length,
    lost: accepted.length - firsts.length,
    decidedTwice: all.filter((ones) => new Set(ones.map(({ decision }) => decision.decisionId)).size > 1)
      .length,
    shardsTwice: sum(({ decision }) => shardsCountedTwice(decision)),
    late: firsts.filter(isLate).length,
    lateUnmarked: firsts.filter((one) => isLate(one) && one.outage === undefined).length,
    marked: firsts.filter(({ outage }) => outage !== undefined).length,
    coverage: sum(({ decision }) => decision.content.coverage) / Math.max(1, firsts.length),
    unexplained: accepted.reduce((total, round) => total + unexplainedOf(round), 0),
  };
}

/** What has to hold whatever happens. `late`: rounds may be late without a mark, by a stall of our own. */
export function standing(verdict: Verdict, late: 'never' | 'counted' = 'never'): Check[] {
  const { accepted, refused, lost, decidedTwice, shardsTwice, lateUnmarked, unexplained } = verdict;
  const { late: lateAtAll, marked } = verdict;
  return [
    check('rounds accepted', '≥ 1', `${accepted} (${refused} refused)`, accepted > 0),
    equal('lost', 0, lost),
    equal('decided twice', 0, decidedTwice),
    equal('shards counted twice', 0, shardsTwice),
    late === 'never'
      ? check(
          'late without a mark',
          '0',
          `${lateUnmarked} (late ${lateAtAll}, marked ${marked})`,
          lateUnmarked === 0,
        )
      : check('late', 'counted', `${lateAtAll} (marked ${marked})`, true),
    equal('orders without exactly one end', 0, unexplained),
  ];
}
