import type { Env } from '#lib/config';

/** Where a command runs: what it is given, and where its words go. */
export interface CommandPlace {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** A line of its result. */
  tell(line: string): void;
  /** A line about its progress, or about what is wrong. */
  tellError(line: string): void;
}
