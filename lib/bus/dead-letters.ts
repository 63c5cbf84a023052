import { headers as headerNames, type Topics } from '#schemas/topics';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { BusMessage, BusProducer } from './port';

const longestReason = 2_000;

/** Puts a message on dispatch.dead-letters: key, value and headers unchanged, the reason in new headers. */
export async function deadLetter(
  producer: BusProducer,
  topics: Topics,
  message: BusMessage,
  error: unknown,
): Promise<void> {
  const code = error instanceof RoundhouseError ? error.code : 'INTERNAL';
  const reason = error instanceof Error ? error.message : String(error);
  await producer.send([
    {
      topic: topics.deadLetters,
      key: message.key,
      value: message.value,
      headers: {
        ...message.headers,
        [headerNames.deadLetterCode]: code,
        [headerNames.deadLetterReason]: shownText(reason, longestReason),
        [headerNames.deadLetterTopic]: message.topic,
        [headerNames.deadLetterPartition]: String(message.partition),
        [headerNames.deadLetterOffset]: message.offset.toString(),
      },
    },
  ]);
}
