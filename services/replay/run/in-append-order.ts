import type { RecordedRound } from '../recording/recorded-round';

/** Rounds that are this close to one another in the recording come in the order in which they had come. */
const LOOK_AHEAD = 32;

/** A recording has its rounds in the order of their decisions; at a pace they are needed in that of their arrival. */
export function* inAppendOrder(rounds: Iterable<RecordedRound>): Generator<RecordedRound> {
  const ahead: RecordedRound[] = [];
  for (const round of rounds) {
    const at = ahead.findLastIndex(({ appendedAt }) => appendedAt <= round.appendedAt) + 1;
    ahead.splice(at, 0, round);
    if (ahead.length > LOOK_AHEAD) yield ahead.shift()!;
  }
  yield* ahead;
}
