import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '#schemas/counted';
import { auditedCommand } from '../../../launcher/audited-command';
import type { CommandPlace } from '../command-place';
import { manifestName } from '../recording/manifest-file';
import type { PurgeOptions } from './options';
import { recordingsIn, type FoundRecording } from './stale-recordings';

/** Resolves to the exit code. */
export async function purgeCommand(
  { folder, before, dryRun }: PurgeOptions,
  place: CommandPlace,
): Promise<number> {
  const all = recordingsIn(folder);
  const stale = all.filter(({ newest }) => newest < before);
  for (const recording of stale) {
    if (!dryRun) await remove(recording, place);
    place.tell(`${recording.folder}: ${dryRun ? 'would be removed' : 'removed'}, ${lineOf(recording)}`);
  }
  const kept = all.length - stale.length;
  place.tell(`${counted(stale.length, 'recording')}, ${kept} kept`);
  return 0;
}

function lineOf({ rounds, newest }: FoundRecording): string {
  return `${counted(rounds, 'round')} until ${new Date(newest).toISOString()}`;
}

function remove(recording: FoundRecording, { env }: CommandPlace): Promise<void> {
  return auditedCommand(env, {
    action: 'recording.removed',
    subject: `${recording.folder}: ${lineOf(recording)}`,
    run: () => removeRecording(recording.folder),
  });
}

type Removal = (path: string, options: { recursive: true }) => void;

/** The manifest last: what one that was ended half-way leaves is still a recording, which the next purge finds. */
export function removeRecording(folder: string, removal: Removal = rmSync): void {
  const names = readdirSync(folder).filter((name) => name !== manifestName);
  for (const name of names) removal(join(folder, name), { recursive: true });
  removal(folder, { recursive: true });
}
