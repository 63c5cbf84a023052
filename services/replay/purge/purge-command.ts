import { rmSync } from 'node:fs';
import { counted } from '#schemas/counted';
import { auditedCommand } from '../../../launcher/audited-command';
import type { CommandPlace } from '../command-place';
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
    run: () => rmSync(recording.folder, { recursive: true }),
  });
}
