import { basename, dirname, join } from 'node:path';
import { loadConfig } from '#lib/config';
import { cutSettings } from '#lib/cut-settings';
import { removeMade } from '#lib/make-folder';
import { mdrpFiles } from '#policy/simulation/mdrp/instance';
import type { Day } from '#policy/simulation/day';
import type { DispatchRound } from '#schemas/domain';
import { planMdrpDay } from '../../../launcher/day/planned-day';
import type { CommandPlace } from '../command-place';
import type { Origin } from '../recording/manifest-file';
import {
  requireEmpty,
  RecordingWriter,
  sha256OfFile,
  type NewRecording,
} from '../recording/recording-writer';
import { dayRounds } from './day-rounds';
import { ImportFaults, importInvalid } from './import-faults';
import { checkedRound, importedRound, type RowOf } from './imported-rounds';
import { meituanDay } from './meituan-day';
import { meituanFiles } from './meituan-tables';
import { meituanRounds } from './meituan-rounds';
import type { ImportKind, ImportOptions } from './options';
import { roundLines } from './round-lines';
import { readTableDay } from './table-day';

/** Where rounds come from: files whose hashes are kept, and a way to have their rounds. */
interface Source {
  readonly folder: string;
  readonly files: readonly string[];
  rounds(take: (round: DispatchRound) => void): Promise<void>;
}

type Opener = (options: ImportOptions, place: CommandPlace) => Promise<Source>;

/** Rounds of a simulated day pass the same checks as those of a producer. */
function ofDay(day: Day, { signal }: CommandPlace, rowOf?: RowOf): Source['rounds'] {
  return (take) =>
    dayRounds(day, signal, (round) => {
      const faults = new ImportFaults();
      const body = { ...round, sequence: round.sequence.toString() };
      const checked = checkedRound(body, `round ${round.roundId}`, faults, rowOf);
      faults.throwIfAny();
      take(checked!);
    });
}

const sources: Readonly<Record<ImportKind, Opener>> = {
  async mdrp({ source, roundMinutes }, place) {
    const { day } = await planMdrpDay(source, roundMinutes, null);
    return { folder: source, files: mdrpFiles, rounds: ofDay(day, place) };
  },
  tables({ source }, place) {
    const { day, files, rowOf } = readTableDay(source);
    return Promise.resolve({ folder: source, files, rounds: ofDay(day, place, rowOf) });
  },
  rounds({ source }) {
    const rounds: Source['rounds'] = (take) => {
      for (const round of roundLines(source)) take(round);
      return Promise.resolve();
    };
    return Promise.resolve({ folder: dirname(source), files: [basename(source)], rounds });
  },
  meituan(options, place) {
    const { source: folder, dates, areas, roundMinutes } = options;
    if (options.day) {
      const day = meituanDay(folder, { date: dates[0]!, area: areas[0]!, roundMinutes });
      const files = [meituanFiles.waybills, meituanFiles.waves];
      return Promise.resolve({ folder, files, rounds: ofDay(day, place) });
    }
    const { rounds, leftOut } = meituanRounds(folder, { dates, areas }, new ImportFaults());
    for (const [what, count] of Object.entries(leftOut))
      if (count > 0) place.tellError(`left out: ${count} ${what}`);
    const files = [meituanFiles.riders, meituanFiles.orders, meituanFiles.waybills];
    return Promise.resolve({ folder, files, rounds: (take) => Promise.resolve(rounds.forEach(take)) });
  },
};

function originOf(kind: ImportKind, { folder, files }: Source): Origin {
  return { kind, files: files.map((name) => ({ name, sha256: hashOf(join(folder, name)) })) };
}

function hashOf(file: string): string {
  try {
    return sha256OfFile(file);
  } catch (error) {
    throw importInvalid(file, (error as Error).message, 'a readable file');
  }
}

/** Resolves to the exit code. */
export async function importCommand(options: ImportOptions, place: CommandPlace): Promise<number> {
  const settings = { ...loadConfig(place.env, cutSettings) };
  const made = requireEmpty(options.out);
  try {
    const source = await sources[options.kind](options, place);
    const origin = originOf(options.kind, source);
    return await imported(
      source,
      options,
      { origin, settings, personal: { hashed: [], dropped: [] } },
      place,
    );
  } catch (error) {
    removeMade(made);
    throw error;
  }
}

async function imported(
  source: Source,
  options: ImportOptions,
  wanted: NewRecording,
  place: CommandPlace,
): Promise<number> {
  const writer = RecordingWriter.create(options.out, wanted);
  try {
    let last: number | null = null;
    await source.rounds((round) => {
      const recorded = importedRound(round);
      last = Math.max(last ?? 0, recorded.appendedAt + 1);
      writer.append(recorded);
    });
    if (last === null) throw importInvalid(options.source, 'no round', 'at least one');
    const { progress } = writer.end(last);
    place.tell(`${options.out}: ${progress.rounds} rounds`);
    return 0;
  } catch (error) {
    writer.discard();
    throw error;
  }
}
