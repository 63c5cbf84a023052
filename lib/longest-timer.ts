/** Three weeks, ms; nothing waits so long. A timer of Node above 2^31 - 1 ms ends at once. */
export const LONGEST_TIMER_MS = 2_000_000_000;
