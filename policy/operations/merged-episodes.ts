import type { RoundCost } from './episodes';
import { explanationOf, type Line, type Signal } from './signals';
import { withoutFuture, type StoredEpisode } from './stored-episodes';

/** What is known of an episode here. */
interface Known {
  readonly signal: Signal;
  times: number;
  beganAt: number;
  endedAt: number | null;
  seenAt: number;
  readonly consequences: Map<string, Line>;
  readonly rounds: RoundCost;
}

type Span = Pick<StoredEpisode, 'beganAt' | 'seenAt'>;

/** A clock beside ours may be ahead: nothing was seen later than now. */
function untilNow(one: StoredEpisode, at: number): StoredEpisode {
  const [beganAt, seenAt, endedAt] = [one.beganAt, one.seenAt, one.endedAt ?? one.seenAt].map((time) =>
    Math.min(time, at),
  );
  return { ...one, beganAt: beganAt!, seenAt: seenAt!, endedAt: endedAt! };
}

/** The same trouble: it began with the earlier one, and `both` says how the counts go together. */
export function goOn(
  known: Pick<Known, 'beganAt' | 'times' | 'consequences' | 'rounds'>,
  {
    beganAt,
    times,
    consequences,
    rounds,
  }: Pick<StoredEpisode, 'beganAt' | 'times' | 'consequences' | 'rounds'>,
  mostConsequences: number,
  both: (here: number, there: number) => number,
): void {
  known.beganAt = Math.min(known.beganAt, beganAt);
  known.times = both(known.times, times);
  known.rounds.late = both(known.rounds.late, rounds.late);
  known.rounds.partial = both(known.rounds.partial, rounds.partial);
  for (const [id, line] of consequences)
    if (known.consequences.size < mostConsequences) known.consequences.set(id, line);
}

/** Watched by both: the most of each, so that what is merged again changes nothing. */
function widen(known: Known, one: StoredEpisode, mostConsequences: number): void {
  goOn(known, one, mostConsequences, Math.max);
  known.seenAt = Math.max(known.seenAt, one.seenAt);
  if (known.endedAt !== null) known.endedAt = Math.max(known.endedAt, one.endedAt!);
}

/** What it was taken for here: something that follows from another one of that time. */
function isPartOf({ signal, consequences }: Known, { signal: { id, after } }: StoredEpisode): boolean {
  return signal.id !== id && (consequences.has(id) || explanationOf({ id, after }, [signal.id]) !== null);
}

interface MergeOptions {
  readonly at: number;
  /** The same again within this is the same episode. */
  readonly againMs: number;
  readonly mostConsequences: number;
}

/** Of what another console keeps: those that are known here become what both saw; returns the others, all of them over. */
export function takeIn(
  kept: readonly Known[],
  stored: readonly StoredEpisode[],
  { at, againMs, mostConsequences }: MergeOptions,
): StoredEpisode[] {
  return withoutFuture(stored, at).flatMap((theirs) => {
    const one = untilNow(theirs, at);
    const touches = ({ beganAt, seenAt }: Span): boolean =>
      beganAt <= one.seenAt + againMs && one.beganAt <= seenAt + againMs;
    const near = kept.filter(touches);
    const known = near.findLast(({ signal }) => signal.id === one.signal.id);
    if (known !== undefined) widen(known, one, mostConsequences);
    return known !== undefined || near.some((other) => isPartOf(other, one)) ? [] : [one];
  });
}
