import type { UnixMs } from '#schemas/brands';

/** A round with a manifest and without a decision. */
export interface WaitingRound {
  readonly deadline: UnixMs;
  readonly shards: number;
}

/** A queue that the shards of rounds go through. */
export interface Stage {
  readonly backlog: number;
  /** Null: never seen at work, so nothing is said against it. */
  readonly perSecond: number | null;
}

export interface Stages {
  readonly shards: Stage;
  readonly outcomes: Stage;
}

/** A decision that came just in time is known here a little later. */
export const noticeMs = 250;

function secondsFor(messages: number, { perSecond }: Stage): number {
  if (messages <= 0 || perSecond === null) return 0;
  return perSecond > 0 ? messages / perSecond : Infinity;
}

interface Queued<R> {
  readonly round: R;
  /** Shards of it that still wait, and those that wait before and with it. */
  readonly own: number;
  readonly upToIt: number;
}

/**
 * The rounds in the order of their manifests with what still waits of them. Workers take shards in the order in which they
 * came, so what waits belongs to the newest rounds; what is more than theirs is of rounds that are decided already.
 */
function queued<R extends WaitingRound>(rounds: readonly R[], backlog: number): Queued<R>[] {
  let left = backlog;
  const newestFirst = rounds.toReversed().map((round) => {
    const upToIt = left;
    const own = Math.min(round.shards, left);
    left -= own;
    return { round, own, upToIt };
  });
  return newestFirst.toReversed();
}

/**
 * The rounds that can't have all their outcomes by their deadline, as fast as shards and outcomes are taken at present,
 * and those whose deadline is over. `rounds` stand in the order of their manifests. A round at risk still gets its
 * decision in time, of what has come by then: at risk is its coverage.
 */
export function roundsAtRisk<R extends WaitingRound>(
  rounds: readonly R[],
  { shards, outcomes }: Stages,
  now: UnixMs,
): R[] {
  const joinSeconds = secondsFor(outcomes.backlog, outcomes);
  const isAtRisk = ({ round: { deadline }, own, upToIt }: Queued<R>): boolean => {
    if (now > deadline + noticeMs) return true;
    const hasAll = own === 0 && outcomes.backlog === 0;
    const seconds = (own > 0 ? secondsFor(upToIt, shards) : 0) + joinSeconds;
    return !hasAll && now + seconds * 1_000 > deadline;
  };
  return queued(rounds, shards.backlog)
    .filter(isAtRisk)
    .map(({ round }) => round);
}
