import type { DecisionContent } from '#schemas/domain';

/** Rounds that the pipeline decided without having costed a single one of their candidates, and why. */
export interface UnsolvedRounds {
  /** Rounds that had candidates at all. */
  readonly asked: number;
  readonly unsolved: number;
  /** Shards that did not come in as solved, by their error code or, without one, status. */
  readonly shardFaults: Readonly<Record<string, number>>;
}

export function unsolvedRounds(decisions: readonly DecisionContent[]): UnsolvedRounds {
  const asked = decisions.filter(({ candidatesTotal }) => candidatesTotal > 0);
  const shardFaults: Record<string, number> = {};
  for (const { status, errorCode } of decisions.flatMap(({ shards }) => shards)) {
    if (status === 'solved') continue;
    const fault = errorCode ?? status;
    shardFaults[fault] = (shardFaults[fault] ?? 0) + 1;
  }
  const unsolved = asked.filter(({ candidatesArrived }) => candidatesArrived === 0).length;
  return { asked: asked.length, unsolved, shardFaults };
}

/** `ENGINE_LOST 12, late 3`; empty where every shard was solved. */
export function shardFaultsText(shardFaults: UnsolvedRounds['shardFaults']): string {
  const most = Object.entries(shardFaults).sort(([, a], [, b]) => b - a);
  return most.map(([fault, count]) => `${fault} ${count}`).join(', ');
}

/**
 * Why a day failed though every round was decided: the decisions were empty because the pipeline did not solve
 * the rounds, in half of them or with nothing delivered at the end. Null for a day that only had nothing to give.
 */
export function dayFailure(
  { asked, unsolved, shardFaults }: UnsolvedRounds,
  delivered: number,
): string | null {
  const isEmpty = delivered === 0 && unsolved > 0;
  if (!isEmpty && (unsolved === 0 || 2 * unsolved < asked)) return null;
  const result = delivered === 0 ? 'no order was delivered' : `only ${delivered} orders were delivered`;
  return `${result}: in ${unsolved} of ${asked} rounds with candidates no shard was solved (${shardFaultsText(shardFaults)})`;
}
