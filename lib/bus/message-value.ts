import { RoundhouseError } from '#schemas/errors';
import type { BusMessage } from './port';

/** Throws PAYLOAD_INVALID where a message has no value, with the reason where its batch could not be read. */
export function requireValue({ value, unreadable }: Pick<BusMessage, 'value' | 'unreadable'>): Buffer {
  if (value !== null) return value;
  throw new RoundhouseError('PAYLOAD_INVALID', unreadable ?? 'a message without a value');
}
