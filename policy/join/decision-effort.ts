/**
 * How much is put into a decision: `reduced` spends some 5% of the work on overlapping bundles and ends with a wider gap;
 * `none` assigns nothing. Given the effort, a decision is determined by the round and its outcomes.
 */
export const efforts = ['full', 'reduced', 'none'] as const;
export type Effort = (typeof efforts)[number];

/** A decision that waits for the thread. */
export interface WaitingDecision {
  readonly fullMs: number;
  readonly reducedMs: number;
  /** Unix ms at which it must have been made; null where it is overdue, and can only be late. */
  readonly until: number | null;
  /** An overdue one lets those in time go before it until then, Unix ms; absent: it doesn't. */
  readonly yieldsUntil?: number;
}

export interface NextDecision {
  /** In the list of those that wait. */
  readonly index: number;
  readonly effort: Effort;
}

const LEAST_KEPT_SHARE = 1 / 3;
const MOST_KEPT_SHARE = 2 / 3;

/**
 * Of the `leftMs` that a round has when it could be decided, what its decision has to leave: what comes after it, `neededMs`,
 * and a third at least, but two thirds at most. Where more rounds come than can be decided they wait until this point, and not to
 * the last moment, from which one pause of the process would make all of them late.
 */
export function keptMs(leftMs: number, neededMs: number): number {
  return Math.min(Math.max(neededMs, LEAST_KEPT_SHARE * leftMs), MOST_KEPT_SHARE * leftMs);
}

const makesIt = ({ until }: WaitingDecision, at: number): boolean => until === null || at <= until;

/** How many of the decisions behind the first make it with reduced effort, when theirs begin at `at`. */
function madeAfter(rest: readonly WaitingDecision[], at: number): number {
  let made = 0;
  let end = at;
  for (const decision of rest) {
    if (!makesIt(decision, end + decision.reducedMs)) continue;
    end += decision.reducedMs;
    made += 1;
  }
  return made;
}

/**
 * The effort of the first of the decisions, which are made one after the other: the full one where that makes none of those
 * behind it miss its time that would make it after a reduced one. One that can't make it any more costs no time.
 */
export function effortOfFirst(waiting: readonly WaitingDecision[], now: number): Effort {
  const [first, ...rest] = waiting;
  if (first === undefined) return 'full';
  const reducedEnd = now + first.reducedMs;
  const fullEnd = now + first.fullMs;
  if (makesIt(first, fullEnd) && madeAfter(rest, fullEnd) >= madeAfter(rest, reducedEnd)) return 'full';
  return makesIt(first, reducedEnd) ? 'reduced' : 'none';
}

const isInTime = ({ until }: WaitingDecision): boolean => until !== null;

/**
 * Which decision is made next, of those that wait in the order of their deadlines: the first, but where that one is overdue
 * and even its reduced effort would make one in time miss its own, the first in time. Null where none waits.
 */
export function nextDecision(waiting: readonly WaitingDecision[], now: number): NextDecision | null {
  const [first] = waiting;
  if (first === undefined) return null;
  const effort = effortOfFirst(waiting, now);
  const inTime = waiting.filter(isInTime);
  const isOverdue = !isInTime(first) && now < (first.yieldsUntil ?? now);
  if (!isOverdue || madeAfter(inTime, now + first.reducedMs) >= madeAfter(inTime, now)) {
    return { index: 0, effort };
  }
  return { index: waiting.findIndex(isInTime), effort: effortOfFirst(inTime, now) };
}
