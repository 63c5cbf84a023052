import { closeSync, openSync, writeSync } from 'node:fs';
import { toJsonText } from '#schemas/decision-json';
import type { CommandPlace } from '../command-place';
import { corruptText, recordingInvalid, type ReadOptions } from '../container/container-reader';
import { compareRounds, type RoundDifference } from './compare-rounds';
import { DiffSummary, type DiffFigures } from './diff-summary';
import { diffText } from './diff-text';
import { matchRounds } from './match-rounds';
import type { DiffOptions } from './options';
import { openSide } from './side';
import { brokenBounds } from './thresholds';

/** Where the changed rounds go, a line each. */
class DetailsFile {
  private readonly fd: number | null;

  constructor(file: string | null) {
    try {
      this.fd = file === null ? null : openSync(file, 'w');
    } catch (error) {
      throw recordingInvalid(`--details ${file} can't be written (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  add(difference: RoundDifference): void {
    if (this.fd !== null) writeSync(this.fd, `${toJsonText(difference)}\n`);
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
  }
}

function compare({ folders, skipCorrupt, worst, details }: DiffOptions, place: CommandPlace): DiffFigures {
  const readOptions: ReadOptions = skipCorrupt
    ? { onCorrupt: (block) => place.tellError(corruptText(block)) }
    : {};
  const [a, b] = folders.map((folder) => openSide(folder, readOptions));
  const file = new DetailsFile(details);
  const summary = new DiffSummary(worst);
  try {
    for (const matched of matchRounds(a!.rounds(), b!.rounds())) {
      place.signal.throwIfAborted();
      const difference = compareRounds(matched);
      summary.add(matched, difference);
      if (difference !== null) file.add(difference);
    }
  } finally {
    file.close();
  }
  return summary.figures();
}

/** Where nothing is compared no bound holds: a gate that is given the wrong folder stays shut. */
function brokenOf(figures: DiffFigures, bounds: DiffOptions['bounds']): string[] {
  const broken = brokenBounds(figures, bounds);
  if (Object.keys(bounds).length === 0 || figures.compared > 0) return broken;
  return ['no round is decided by both: nothing was compared', ...broken];
}

/** Returns the exit code: 1 where a bound doesn't hold. */
export function diffCommand(options: DiffOptions, place: CommandPlace): number {
  const figures = compare(options, place);
  const broken = brokenOf(figures, options.bounds);
  const document = { folders: options.folders, ...figures, brokenBounds: broken };
  place.tell(options.json ? toJsonText(document) : diffText(options.folders, figures));
  for (const sentence of broken) place.tellError(`bound broken: ${sentence}`);
  return broken.length > 0 ? 1 : 0;
}
