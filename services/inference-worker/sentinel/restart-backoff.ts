/** The pause before the next engine is started. */
export interface BackoffPolicy {
  readonly firstMs: number;
  readonly lastMs: number;
}

export const restartBackoff: BackoffPolicy = { firstMs: 50, lastMs: 5_000 };

/** `losses` engines in a row, the last one included, ended soon; none: the next one follows at once. */
export function pauseBeforeRestart(losses: number, policy: BackoffPolicy = restartBackoff): number {
  if (losses <= 0) return 0;
  return Math.min(policy.lastMs, policy.firstMs * 2 ** Math.min(losses - 1, 30));
}
