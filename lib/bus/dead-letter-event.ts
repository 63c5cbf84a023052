import { event } from '#lib/telemetry';
import { errorCodes } from '#schemas/errors';
import type { LetterKept } from './dead-letters';

/** A message was put on dispatch.dead-letters, by whichever service. */
export const deadLetterEvent = event<{
  topic: string;
  partition: number;
  offset: string;
  code: string;
  reason: string;
  /** What of the message the dead letter has. */
  kept: LetterKept;
}>({
  level: 'warn',
  labels: { code: Object.keys(errorCodes) },
  counter: { name: 'dispatch_dead_letters_total', help: 'Messages put on dispatch.dead-letters.' },
});
