import { headers as names } from './topics';

/** Above this a decision was held up on its way to Kafka; less is left only to closes that are late themselves. */
export const SLOW_KAFKA_MS = 100;

interface DecisionTimes {
  readonly headers: Readonly<Record<string, string>>;
  /** The broker's append time. */
  readonly appendedAt: number;
  readonly deadline: number;
}

/**
 * The outage that a decision's record tells of: its mark; or `kafka` where it was sent before it was known that Kafka
 * would not take it, was appended after its deadline, and more than 100 ms after it had been sent. Undefined for all
 * others, which are in time or late by our own fault.
 */
export function outageOf({ headers, appendedAt, deadline }: DecisionTimes): string | undefined {
  const mark = headers[names.outage];
  if (mark !== undefined || appendedAt <= deadline) return mark;
  const sentAt = Number(headers[names.sentAt] ?? NaN);
  return appendedAt - sentAt > SLOW_KAFKA_MS ? 'kafka' : undefined;
}
