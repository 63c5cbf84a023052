import type { Episode } from '../../console/messages';
import { clock, counted } from './format';

/** `3 rounds late, 1 round without all plans`; empty where it cost nothing. */
export function costWords({ rounds: { late, partial } }: Pick<Episode, 'rounds'>): string {
  const parts = [
    late > 0 ? `${counted(late, 'round')} late` : '',
    partial > 0 ? `${counted(partial, 'round')} without all plans` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** How often, where it is no state. */
export function timesWords({ times }: Pick<Episode, 'times'>): string {
  return times > 1 ? ` ×${times.toLocaleString('en')}` : '';
}

/** Whole seconds, minutes or hours: nobody counts more of an outage. */
function lasting(seconds: number): string {
  if (seconds < 100) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** When it was and how long; what happened in a moment has no length. */
export function whenWords({ beganAt, endedAt }: Pick<Episode, 'beganAt' | 'endedAt'>, now: number): string {
  const seconds = ((endedAt ?? now) - beganAt) / 1_000;
  if (endedAt === null) return `for ${lasting(seconds)}`;
  if (seconds < 1) return clock(beganAt);
  return `${clock(beganAt)} – ${clock(endedAt)}, ${lasting(seconds)}`;
}

/** So long an end of trouble is worth the first sentence. */
const freshMs = 900_000;

/** When the last trouble ended; null where none did of late. */
export function troubleEndedAt(recent: readonly Episode[], now: number): number | null {
  const ends = recent.flatMap(({ level, endedAt }) => (level === 'bad' && endedAt !== null ? [endedAt] : []));
  const last = Math.max(...ends);
  return last > now - freshMs ? last : null;
}
