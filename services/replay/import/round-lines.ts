import { basename } from 'node:path';
import type { DispatchRound } from '#schemas/domain';
import { roundKey } from '#schemas/topics';
import { ImportFaults } from './import-faults';
import { checkedRound } from './imported-rounds';
import { textLines } from './text-lines';

const parsed = (text: string, place: string, faults: ImportFaults): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    faults.add(place, (error as Error).message, 'a round as JSON');
    return undefined;
  }
};

/** Rounds as producers send them, one a line. Throws IMPORT_INVALID at the first line with faults. */
export function* roundLines(path: string): Generator<DispatchRound> {
  const file = basename(path);
  const seen = new Set<string>();
  for (const { number, text } of textLines(path, file)) {
    if (text.trim() === '') continue;
    const faults = new ImportFaults();
    const place = `${file}:${number}`;
    const body = parsed(text, place, faults);
    const round = faults.count > 0 ? null : checkedRound(body, place, faults);
    if (round !== null && seen.has(roundKey(round)))
      faults.add(place, `round ${round.roundId} again`, 'each once');
    faults.throwIfAny();
    seen.add(roundKey(round!));
    yield round!;
  }
}
