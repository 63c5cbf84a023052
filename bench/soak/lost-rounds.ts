import type { SentRound } from '../drill/rounds/sender';

export interface MadeFault {
  readonly name: string;
  /** Unix ms. */
  readonly at: number;
}

/** To look for in logs: more tell nothing more. */
const mostTold = 20;

/** Accepted rounds without a decision, with the last fault that was made before their deadline. */
export function lostRounds(
  accepted: readonly Pick<SentRound, 'roundId' | 'sentAt' | 'deadline'>[],
  published: ReadonlyMap<string, unknown>,
  faults: readonly MadeFault[],
): string[] {
  const lost = accepted.filter(({ roundId }) => !published.has(roundId)).slice(0, mostTold);
  return lost.map(({ roundId, sentAt, deadline }) => {
    const last = faults.filter(({ at }) => at <= deadline).at(-1);
    const since = last === undefined ? 'before any fault' : `${sentAt - last.at} ms after ${last.name}`;
    return `${roundId}: sent at ${new Date(sentAt).toISOString()}, ${since}`;
  });
}
