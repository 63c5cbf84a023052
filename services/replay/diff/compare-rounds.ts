import type { DecisionContent } from '#schemas/domain';
import type { Matched } from './match-rounds';
import type { SideRound } from './side';

/** What became of an order: its courier, or the reason why it has none. */
export interface OrderChange {
  readonly orderId: string;
  readonly change: 'moved' | 'lost' | 'gained' | 'reason' | 'replanned' | 'stage';
  readonly a: string;
  readonly b: string;
}

export interface RoundDifference {
  readonly roundId: string;
  readonly zoneId: string;
  readonly orders: readonly OrderChange[];
  /** Of the whole content, where no order has changed: what else did. */
  readonly elsewhere: readonly string[];
  readonly costA: bigint;
  readonly costB: bigint;
  readonly lateByMsA: number | null;
  readonly lateByMsB: number | null;
  /** Why one of them has no decision. */
  readonly errors: readonly string[];
}

/** Plans' costs and what leaving orders out costs: what the assignment minimises. */
export function costOf({ content, leftOutCost }: SideRound): bigint {
  return (content?.assignments ?? []).reduce((sum, { cost }) => sum + cost, leftOutCost);
}

interface Fate {
  readonly courier: string | null;
  readonly text: string;
  /** The courier's whole plan. */
  readonly plan: string;
  readonly stage: string;
}

function fatesOf({ assignments, unassigned }: DecisionContent): Map<string, Fate> {
  const fates = new Map<string, Fate>();
  for (const { orderId, reason } of unassigned) {
    fates.set(orderId, { courier: null, text: reason, plan: '', stage: '' });
  }
  for (const { courierId, orderIds, stops, stage } of assignments) {
    const fate = { courier: courierId, text: `${courierId} (${stage})`, plan: JSON.stringify(stops), stage };
    for (const orderId of orderIds) fates.set(orderId, fate);
  }
  return fates;
}

function changeOf(a: Fate | undefined, b: Fate | undefined): OrderChange['change'] | null {
  if (a === undefined || b === undefined) return a === b ? null : a === undefined ? 'gained' : 'lost';
  if (a.courier === null && b.courier === null) return a.text === b.text ? null : 'reason';
  if (a.courier === null) return 'gained';
  if (b.courier === null) return 'lost';
  if (a.courier !== b.courier) return 'moved';
  if (a.plan !== b.plan) return 'replanned';
  return a.stage === b.stage ? null : 'stage';
}

function orderChanges(a: DecisionContent, b: DecisionContent): OrderChange[] {
  const [left, right] = [fatesOf(a), fatesOf(b)];
  const ids = [...new Set([...left.keys(), ...right.keys()])];
  return ids.flatMap((orderId) => {
    const [before, after] = [left.get(orderId), right.get(orderId)];
    const change = changeOf(before, after);
    return change === null ? [] : [{ orderId, change, a: before?.text ?? '', b: after?.text ?? '' }];
  });
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));

const otherFields = ['moves', 'shards', 'coverage', 'closedBy', 'assignmentGap', 'models'] as const;

function elsewhereOf(a: DecisionContent, b: DecisionContent): string[] {
  const fields = otherFields.filter((field) => text(a[field]) !== text(b[field]));
  const held = (content: DecisionContent): string =>
    text(content.assignments.filter(({ orderIds }) => orderIds.length === 0));
  return [...fields, ...(held(a) === held(b) ? [] : ['plans of held orders'])];
}

/** null where both are the same, byte for byte. */
export function compareRounds({ a, b }: Matched): RoundDifference | null {
  if (a !== null && b !== null && a.contentHash !== null && a.contentHash === b.contentHash) return null;
  const one = (a ?? b)!;
  const [before, after] = [a?.content ?? null, b?.content ?? null];
  const both = before !== null && after !== null;
  const errors = [
    ...(a === null ? ['not in A'] : a.error === null ? [] : [`A has no decision: ${a.error}`]),
    ...(b === null ? ['not in B'] : b.error === null ? [] : [`B has no decision: ${b.error}`]),
  ];
  return {
    roundId: one.roundId,
    zoneId: one.zoneId,
    orders: both ? orderChanges(before, after) : [],
    elsewhere: both ? elsewhereOf(before, after) : [],
    costA: a === null ? 0n : costOf(a),
    costB: b === null ? 0n : costOf(b),
    lateByMsA: a?.lateByMs ?? null,
    lateByMsB: b?.lateByMs ?? null,
    errors,
  };
}
