import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { manifestName, readManifest, type RecordingManifest } from '../recording/manifest-file';
import { isRecording } from '../recording/recording-writer';

export interface FoundRecording {
  readonly folder: string;
  readonly rounds: number;
  /** Unix ms; what it holds is not newer. */
  readonly newest: number;
}

/** An import's rounds may be of any time: what counts is when they came here. */
function newestOf(folder: string, { origin, progress }: RecordingManifest): number {
  if (origin.kind === 'kafka') return Math.max(origin.to, progress.until);
  return statSync(join(folder, manifestName)).mtimeMs;
}

/** The folder itself, or those in it. Throws RECORDING_INVALID where one can't be read: it is not known what it holds. */
export function recordingsIn(folder: string): FoundRecording[] {
  const folders = isRecording(folder)
    ? [folder]
    : readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(folder, name))
        .filter(isRecording);
  return folders.map((found) => {
    const manifest = readManifest(found);
    return { folder: found, rounds: manifest.progress.rounds, newest: newestOf(found, manifest) };
  });
}
