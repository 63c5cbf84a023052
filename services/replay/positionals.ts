import { ArgumentsInvalid } from '#lib/command-line';
import { shownText } from '#schemas/shown-text';

export interface SplitArguments {
  readonly words: readonly string[];
  readonly flags: readonly string[];
}

/** The words before the first flag: one for each name, and up to so many more; throws ArgumentsInvalid. */
export function splitWords(argv: readonly string[], names: readonly string[], optional = 0): SplitArguments {
  const first = argv.findIndex((word) => word.startsWith('-'));
  const words = first < 0 ? argv : argv.slice(0, first);
  const lacking = names[words.length];
  if (lacking !== undefined) throw new ArgumentsInvalid(`${lacking} is needed before the flags`);
  const extra = words[names.length + optional];
  if (extra !== undefined) throw new ArgumentsInvalid(`${shownText(extra, 100)} is one word too many`);
  return { words, flags: first < 0 ? [] : argv.slice(first) };
}

export function requiredFlag(flag: string, given: string | undefined): string {
  if (given !== undefined && given !== '') return given;
  throw new ArgumentsInvalid(`--${flag} is needed`);
}

const ago = /^-?(\d{1,6})(s|m|h|d)$/;
const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Does what `timeFlag` makes of it depend on now? */
export const isByNow = (text: string): boolean => text === 'now' || ago.test(text.replace(/^\+/, ''));

/** Unix ms, an ISO time, or so long before (`90m`) or after (`+90m`) `now`; throws ArgumentsInvalid. */
export function timeFlag(flag: string, text: string, now: number): number {
  if (text === 'now') return now;
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const past = ago.exec(text);
  if (past) return now - Number(past[1]) * unitMs[past[2] as keyof typeof unitMs];
  const ahead = ago.exec(text.replace(/^\+/, ''));
  if (text.startsWith('+') && ahead) return now + Number(ahead[1]) * unitMs[ahead[2] as keyof typeof unitMs];
  const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
  const parsed = iso.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(parsed)) return parsed;
  const forms = 'Unix ms, 2026-11-30T12:00Z, 90m (ago), +90m (ahead), now';
  throw new ArgumentsInvalid(`--${flag} is ${shownText(text, 100)}: one of ${forms}`);
}
