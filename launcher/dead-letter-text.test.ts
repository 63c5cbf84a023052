import type { UnixMs } from '#schemas/brands';
import { observationsCodec } from '#schemas/codec';
import type { Observation } from '#schemas/domain';
import { headers } from '#schemas/topics';
import type { BusMessage } from '#lib/bus/port';
import { deadLetterText } from './dead-letter-text';

const observation = {
  tenantId: 't',
  runId: 'r',
  zoneId: 'z',
  orderId: 'o',
  courierId: null,
  kind: 'refused',
  at: 5,
} as unknown as Observation;

function letter(topic: string, key: string | null, value: Buffer | null, reason = 'bad'): BusMessage {
  return {
    topic: 'dispatch.dead-letters',
    partition: 0,
    offset: 3n,
    key: key === null ? null : Buffer.from(key),
    value,
    timestamp: 1_700_000_000_000 as UnixMs,
    headers: {
      [headers.deadLetterCode]: 'PAYLOAD_INVALID',
      [headers.deadLetterReason]: reason,
      [headers.deadLetterTopic]: topic,
      [headers.deadLetterPartition]: '2',
      [headers.deadLetterOffset]: '17',
    },
  };
}

test('a value that its schema can read is shown as JSON, its key in parts', () => {
  const text = deadLetterText(
    letter('x.dispatch.observations', 't\u001fz', observationsCodec.encode(observation)),
  );
  expect(text).toBe(
    [
      '2023-11-14T22:13:20.000Z  PAYLOAD_INVALID  x.dispatch.observations [2] @17',
      '  reason: bad',
      '  key:    t / z',
      '  value:  {"tenantId":"t","runId":"r","zoneId":"z","orderId":"o","courierId":null,"kind":"refused","at":5}',
    ].join('\n'),
  );
});

test('what can not be read is shown as its first bytes', () => {
  expect(deadLetterText(letter('dispatch.shards', null, Buffer.from('abc')))).toMatch(
    /key: {4}none\n.*3 bytes, not readable: 616263$/,
  );
  expect(deadLetterText(letter('dispatch.shards', 'k', null))).toMatch(/value: {2}no value$/);
});

test('a long value is cut between characters', () => {
  // `{"tenantId":"` has 13 units and 587 remain: the 294th pair would begin at the last of them.
  const long = { ...observation, tenantId: '😀'.repeat(400) } as Observation;
  const text = deadLetterText(letter('dispatch.observations', 'k', observationsCodec.encode(long)));
  expect(text).toContain(`{"tenantId":"${'😀'.repeat(293)}… (`);
  expect(text).not.toMatch(/\p{Surrogate}/u);
});

test('control characters of others do not reach the terminal', () => {
  const text = deadLetterText(letter('dispatch.shards', '\u001b[2J', null, 'a\u001b]0;x\u0007b'));
  expect(text).not.toMatch(/[\u001b\u0007]/);
  expect(text).toContain('reason: a?]0;x?b');
  expect(text).toContain('key:    hex 1b5b324a');
});
