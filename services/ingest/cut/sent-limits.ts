import type { RoundLimits } from '#policy/validation/index';

/** What can be cloned of the limits of rounds; a thread has its own matrices. */
export type SentLimits = Omit<RoundLimits, 'matrixOf'>;

export function sendable(limits: RoundLimits): SentLimits {
  const { matrixOf: _, ...rest } = { ...limits };
  const { maxCouriers, maxOrders, minLeadMs, maxDeadlineAheadMs, modelLabels } = rest;
  return { maxCouriers, maxOrders, minLeadMs, maxDeadlineAheadMs, ...(modelLabels && { modelLabels }) };
}
