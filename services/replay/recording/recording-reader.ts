import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readContainer, recordingInvalid, type ReadOptions } from '../container/container-reader';
import { manifestName, readManifest, roundsName, type RecordingManifest } from './manifest-file';
import { recordedRoundType, type RecordedRound } from './recorded-round';

export interface Recording {
  readonly folder: string;
  readonly manifest: RecordingManifest;
  /** In the order in which they were decided; one block in memory at a time. */
  rounds(options?: Pick<ReadOptions, 'onCorrupt'>): Generator<RecordedRound>;
}

/** Throws RECORDING_INVALID where the folder is none, or its recording was interrupted and not ended. */
export function openRecording(folder: string): Recording {
  if (!existsSync(join(folder, manifestName))) {
    throw recordingInvalid(`${folder} is no recording: it has no ${manifestName}`);
  }
  const manifest = readManifest(folder);
  if (!manifest.complete) {
    throw recordingInvalid(`${folder}: the recording isn't complete; call record again to go on with it`);
  }
  const file = join(folder, roundsName);
  return {
    folder,
    manifest,
    rounds: (options = {}) =>
      readContainer<RecordedRound>(file, recordedRoundType, { ...options, length: manifest.progress.bytes }),
  };
}
