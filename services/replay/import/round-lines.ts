import { basename } from 'node:path';
import type { DispatchRound } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { roundKey } from '#schemas/topics';
import { ImportFaults } from './import-faults';
import { checkedRound } from './imported-rounds';
import { textLines, type TextLine } from './text-lines';

const parsed = (text: string, place: string, faults: ImportFaults): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    faults.add(place, (error as Error).message, 'a round as JSON');
    return undefined;
  }
};

/**
 * Rounds as producers send them, one a line. Throws IMPORT_INVALID with the faults of all lines; none is handed out
 * behind the first bad one.
 */
export function* roundLines(path: string): Generator<DispatchRound> {
  const file = basename(path);
  const seen = new Set<string>();
  const faults = new ImportFaults();
  for (const { number, text } of linesOf(path, file, faults)) {
    if (text.trim() === '') continue;
    const before = faults.count;
    const place = `${file}:${number}`;
    const body = parsed(text, place, faults);
    const round = faults.count > before ? null : checkedRound(body, place, faults);
    if (round !== null && seen.has(roundKey(round)))
      faults.add(place, `round ${round.roundId} again`, 'each once');
    if (round !== null) seen.add(roundKey(round));
    if (faults.count === 0) yield round!;
  }
  faults.throwIfAny();
}

/** Lines up to one that can't be read, which is a fault like others. */
function* linesOf(path: string, file: string, faults: ImportFaults): Generator<TextLine> {
  try {
    yield* textLines(path, file);
  } catch (error) {
    if (!(error instanceof RoundhouseError)) throw error;
    for (const { path: place, value, limit } of error.faults) faults.add(place, value, limit);
  }
}
