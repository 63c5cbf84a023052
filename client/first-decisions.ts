import type { Decision } from '#schemas/domain';
import { roundKey } from '#schemas/topics';

/**
 * Decisions come at least once: the first of a round counts, and repetitions have its decisionId. Keeps
 * the last `limit` rounds.
 */
export class FirstDecisions {
  private readonly ids = new Map<string, string>();

  constructor(private readonly limit = 10_000) {}

  /** True the first time that a round's decision is seen. */
  isFirst(decision: Decision): boolean {
    const key = roundKey(decision);
    if (this.ids.has(key)) return false;
    this.ids.set(key, decision.decisionId);
    if (this.ids.size > this.limit) this.ids.delete(this.ids.keys().next().value!);
    return true;
  }
}
