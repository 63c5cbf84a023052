import { headers as headerNames, type Topics } from '#schemas/topics';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { BusMessage, BusProducer, OutgoingMessage } from './port';

const longestReason = 2_000;

/** A letter has so much more than its message: where it came from and why. Its topic takes so much more, too. */
export const DEAD_LETTER_HEADROOM_BYTES = 65_536;
const longestKeptKey = 1_024;

/** What of a message is on dispatch.dead-letters: all, only the reason (without value and headers), or nothing. */
export type LetterKept = 'whole' | 'reason' | 'nothing';

/**
 * Puts a message on dispatch.dead-letters: key, value and headers unchanged, the reason in new headers. One that
 * is too large for the topic leaves its value and headers behind, so that no message can hold its partition up.
 */
export async function deadLetter(
  producer: BusProducer,
  topics: Topics,
  message: BusMessage,
  error: unknown,
): Promise<LetterKept> {
  const headers = headersFor(message, error);
  const headroomBytes = DEAD_LETTER_HEADROOM_BYTES;
  const { key, value } = message;
  const whole = { key, value, headers: { ...message.headers, ...headers }, headroomBytes };
  if (await isTaken(producer, { topic: topics.deadLetters, ...whole })) return 'whole';
  const bytes = value?.length ?? 0;
  const reason = `too large for a dead letter, its ${bytes} bytes are not kept; ${headers[headerNames.deadLetterReason]}`;
  const isShort = key !== null && key.length <= longestKeptKey;
  const short = { key: isShort ? key : null, value: null, headroomBytes };
  const shortHeaders = { ...headers, [headerNames.deadLetterReason]: shownText(reason, longestReason) };
  const isShortTaken = await isTaken(producer, {
    topic: topics.deadLetters,
    ...short,
    headers: shortHeaders,
  });
  return isShortTaken ? 'reason' : 'nothing';
}

function headersFor(message: BusMessage, error: unknown): Record<string, string> {
  const code = error instanceof RoundhouseError ? error.code : 'INTERNAL';
  const reason = error instanceof Error ? error.message : String(error);
  return {
    [headerNames.deadLetterCode]: code,
    [headerNames.deadLetterReason]: shownText(reason, longestReason),
    [headerNames.deadLetterTopic]: message.topic,
    [headerNames.deadLetterPartition]: String(message.partition),
    [headerNames.deadLetterOffset]: message.offset.toString(),
  };
}

/** False where it is too large. */
async function isTaken(producer: BusProducer, letter: OutgoingMessage): Promise<boolean> {
  try {
    await producer.send([letter]);
    return true;
  } catch (error) {
    if (error instanceof RoundhouseError && error.code === 'ROUND_TOO_LARGE') return false;
    throw error;
  }
}
