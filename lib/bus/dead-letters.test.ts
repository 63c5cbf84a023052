import type { UnixMs } from '#schemas/brands';
import { headers, topicsOf } from '#schemas/topics';
import { deadLetter } from './dead-letters';
import type { BusMessage, OutgoingMessage } from './port';

test('a long reason is cut between characters', async () => {
  const sent: OutgoingMessage[] = [];
  const producer = { send: async (messages: readonly OutgoingMessage[]) => void sent.push(...messages) };
  const message: BusMessage = {
    topic: 'from',
    partition: 3,
    offset: 9n,
    key: null,
    value: null,
    headers: {},
    timestamp: 0 as UnixMs,
  };
  // 1 + 2 × 999 = 1,999 units; the next pair would end at 2,001 of 2,000.
  const error = new Error(`x${'😀'.repeat(2_000)}`);
  await deadLetter({ ...producer, close: async () => undefined }, topicsOf(''), message, error);
  expect(sent[0]!.headers![headers.deadLetterReason]).toBe(`x${'😀'.repeat(999)}…`);
});
