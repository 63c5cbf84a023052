import type { DispatchRound } from '#schemas/domain';
import type { UnixMs } from '#schemas/brands';
import type { ReadOptions } from '../container/container-reader';
import { recordingInvalid } from '../container/container-reader';
import { matchRounds } from '../diff/match-rounds';
import { keyOf, openSide, type Side, type SideRound } from '../diff/side';
import { openRecording, type Recording } from '../recording/recording-reader';
import { readRunManifest } from '../run/run-writer';

/** A round as it was sent. */
export interface KnownRound {
  readonly round: DispatchRound;
  readonly appendedAt: UnixMs;
}

/** What A, B and the recording say of a round. */
export interface JoinedRound {
  readonly a: SideRound | null;
  readonly b: SideRound | null;
  readonly known: KnownRound | null;
}

export interface Sources {
  readonly sides: readonly Side[];
  /** null where places and times of orders are known from nowhere, or were dropped. */
  readonly recording: Recording | null;
}

export interface SourceFolders {
  readonly folders: readonly string[];
  readonly recording: string | null;
}

/** Throws RECORDING_INVALID where a folder is neither, or a run is of another recording. */
export function openSources({ folders, recording: given }: SourceFolders, options: ReadOptions): Sources {
  const sides = folders.map((folder) => openSide(folder, options));
  const own = sides.find(({ kind }) => kind === 'recording')?.folder ?? null;
  const folder = given ?? own;
  if (folder === null) return { sides, recording: null };
  const recording = openRecording(folder);
  for (const side of sides) if (side.kind === 'run') requireOf(side.folder, recording);
  return { sides, recording };
}

function requireOf(folder: string, recording: Recording): void {
  const { sha256 } = readRunManifest(folder).recording ?? {};
  if (sha256 === undefined || sha256 === null || sha256 === recording.manifest.sha256) return;
  throw recordingInvalid(`${folder} is no run of ${recording.folder}: it is of another recording`);
}

function* knownRounds(recording: Recording, options: ReadOptions) {
  for (const { manifest, appendedAt } of recording.rounds(options)) {
    const { round } = manifest;
    yield { key: keyOf(round.tenantId, round.runId, round.roundId), round, appendedAt };
  }
}

const none: readonly never[] = [];

function* pairs([a, b]: readonly Side[]) {
  for (const pair of matchRounds(a!.rounds(), b?.rounds() ?? none))
    yield { key: (pair.a ?? pair.b)!.key, pair };
}

/** In about the order of the recording; those of which a part is missing at the end. */
export function* joinedRounds({ sides, recording }: Sources, options: ReadOptions): Generator<JoinedRound> {
  const known = recording === null ? none : knownRounds(recording, options);
  for (const { a, b } of matchRounds(pairs(sides), known)) {
    if (a !== null) yield { ...a.pair, known: b };
    else if (b !== null) yield { a: null, b: null, known: b };
  }
}
