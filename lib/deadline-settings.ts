import { integerSetting } from './config';

/** The most that `ROUNDHOUSE_INGEST_MAX_DEADLINE_AHEAD_MS` may be: no round has a later deadline. */
export const LONGEST_DEADLINE_AHEAD_MS = 86_400_000;

/** How far ahead the deadline of a round may be that ingest accepts; others keep things for so long, too. */
export const deadlineAheadSetting = integerSetting('ROUNDHOUSE_INGEST_MAX_DEADLINE_AHEAD_MS', {
  default: 3_600_000,
  min: 1_000,
  max: LONGEST_DEADLINE_AHEAD_MS,
});
