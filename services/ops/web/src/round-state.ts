import type { RoundState, RoundView } from '../../console/messages';
import type { IconName } from './icons';

const lostAfterMs = 600_000;
const noticeMs = 250;

/** As the service judges it, by the page's own time. */
export function stateOf({ deadline, decision }: RoundView, now: number): RoundState {
  if (decision !== null) {
    if (decision.decidedAt > deadline) return 'late';
    return decision.closedBy === 'complete' && decision.coverage === 1 ? 'complete' : 'partial';
  }
  if (now <= deadline + noticeMs) return 'waiting';
  return now <= deadline + lostAfterMs ? 'overdue' : 'lost';
}

export const stateWords: Readonly<Record<RoundState, string>> = {
  waiting: 'on the way',
  overdue: 'overdue',
  lost: 'never decided',
  complete: 'complete',
  partial: 'partial',
  late: 'late',
};

export const stateIcons: Readonly<Record<RoundState, IconName>> = {
  waiting: 'wait',
  overdue: 'bad',
  lost: 'bad',
  complete: 'ok',
  partial: 'warn',
  late: 'bad',
};

/** Seconds from the round's body to its decision; null while there is none. */
export function decisionSeconds({ receivedAt, manifestAt, decision }: RoundView): number | null {
  return decision === null ? null : Math.max(0, decision.decidedAt - (receivedAt ?? manifestAt)) / 1_000;
}

/** How much of the time that a round had was used; above 1 it is late. An open one has used what has passed. */
export function timeUsed({ receivedAt, manifestAt, deadline, decision }: RoundView, now: number): number {
  const begin = receivedAt ?? manifestAt;
  return ((decision?.decidedAt ?? now) - begin) / Math.max(1, deadline - begin);
}
