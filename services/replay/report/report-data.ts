import { corruptText, type ReadOptions } from '../container/container-reader';
import { compareRounds } from '../diff/compare-rounds';
import { DiffSummary, type DiffFigures } from '../diff/diff-summary';
import type { CommandPlace } from '../command-place';
import { neededForReplay } from '../recording/personal-rules';
import type { Recording } from '../recording/recording-reader';
import { joinedRounds, openSources, type JoinedRound } from './joined-rounds';
import type { ReportOptions } from './options';
import { ShownRounds } from './shown-rounds';
import { SideFigures } from './side-figures';

export interface ReportSide {
  /** `A` or `B`. */
  readonly name: string;
  readonly folder: string;
  readonly kind: 'recording' | 'run';
  readonly figures: SideFigures;
}

/** What a report is drawn from. */
export interface ReportData {
  readonly sides: readonly ReportSide[];
  readonly diff: DiffFigures | null;
  /** Drawn as maps. */
  readonly shown: readonly JoinedRound[];
  /** Why something isn't drawn. */
  readonly notes: readonly string[];
  readonly recording: Recording | null;
}

/** A file that is read several times tells of its corrupt blocks once. */
export function readOptions({ skipCorrupt }: ReportOptions, { tellError }: CommandPlace): ReadOptions {
  const told = new Set<string>();
  const onCorrupt: ReadOptions['onCorrupt'] = (block) => {
    const text = corruptText(block);
    if (!told.has(text)) tellError(text);
    told.add(text);
  };
  return skipCorrupt ? { onCorrupt } : {};
}

const worstTold = 20;

/** Reads everything once; throws RECORDING_INVALID. */
export function reportData(options: ReportOptions, place: CommandPlace, read: ReadOptions): ReportData {
  const sources = openSources(options, read);
  const figures = sources.sides.map(() => new SideFigures(options.hours));
  const dropped = sources.recording?.manifest.personal.dropped ?? [];
  const hasPlaces = sources.recording !== null && !dropped.some((field) => neededForReplay.includes(field));
  const shown = new ShownRounds(hasPlaces ? options.maps : 0);
  const summary = new DiffSummary(worstTold);
  let index = 0;
  for (const joined of joinedRounds(sources, read)) {
    place.signal.throwIfAborted();
    const { a, b, known } = joined;
    if (a === null && b === null) continue;
    if (a !== null) figures[0]!.add(index, a, known);
    if (b !== null) figures[1]?.add(index, b, known);
    if (figures.length > 1) summary.add({ a, b }, compareRounds({ a, b }));
    shown.add(joined);
    index += 1;
  }
  const sides = sources.sides.map(({ folder, kind }, at) => ({
    ...{ name: 'AB'[at]!, folder, kind, figures: figures[at]! },
  }));
  const { recording } = sources;
  const diff = sides.length > 1 ? summary.figures() : null;
  return { sides, diff, shown: shown.rounds(), notes: notesOf(recording !== null, hasPlaces), recording };
}

function notesOf(hasRecording: boolean, hasPlaces: boolean): string[] {
  if (hasPlaces) return [];
  const why = hasRecording
    ? 'No maps: the rules of the recording dropped the places.'
    : 'No maps, no timelines, no times of orders: a run has none; name its recording with --recording.';
  return [why];
}
