import type { ReadOptions } from '../container/container-reader';
import { etrHead, etrRow, shownGroups } from '../etr/etr-text';
import { EtrEvaluation } from '../etr/evaluate';
import { recordedReady } from '../etr/predictors';
import { readObservations } from '../recording/recorded-observations';
import type { Recording } from '../recording/recording-reader';
import type { TableRow } from './figures-table';

/** Smaller groups say little; of merchants the worst are shown. */
const shownBy = { least: 20, top: 10 };

/**
 * Predicted times of a recording against what happened, as `replay etr` has them; null where nothing was predicted
 * whose true time is known.
 */
export async function etrTable(
  recording: Recording,
  read: ReadOptions,
  signal: AbortSignal,
): Promise<readonly TableRow[] | null> {
  const evaluation = new EtrEvaluation(readObservations(recording.folder, read), recordedReady);
  for (const round of recording.rounds(read)) {
    signal.throwIfAborted();
    await evaluation.add(round);
  }
  evaluation.end();
  const groups = shownGroups(evaluation.groups.groups(), shownBy);
  return groups.length === 0 ? null : [etrHead, ...groups.map(etrRow)];
}
