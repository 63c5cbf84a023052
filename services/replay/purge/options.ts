import { readFlags } from '#lib/command-line';
import { requiredFlag, splitWords, timeFlag } from '../positionals';

export interface PurgeOptions {
  readonly folder: string;
  /** Recordings of which nothing is newer (Unix ms). */
  readonly before: number;
  readonly dryRun: boolean;
}

export const purgeUsage = `npm run --silent replay -- purge DIR --before TIME [--dry-run]
  Removes recordings, DIR itself or those in it, of which nothing is as new as TIME; what else lies there stays.
  --before T   Unix ms, an ISO time, 30d (ago), now
  --dry-run    only tells which
ROUNDHOUSE_AUDIT_FILE gets a line of each (docs/privacy.md).`;

/** Throws ArgumentsInvalid. */
export function parsePurge(argv: readonly string[], now = Date.now()): PurgeOptions {
  const { words, flags } = splitWords(argv, ['DIR']);
  const values = readFlags(flags, { before: { type: 'string' }, 'dry-run': { type: 'boolean' } });
  const before = timeFlag('before', requiredFlag('before', values.before), now);
  return { folder: words[0]!, before, dryRun: values['dry-run'] ?? false };
}
