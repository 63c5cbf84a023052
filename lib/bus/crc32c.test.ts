/* eslint-disable @typescript-eslint/no-require-imports -- kafkajs' checksum has no declarations */
import { crc32c } from './crc32c';
import { repairKafkajs } from './kafkajs-repairs';

const kafkajs = (): ((bytes: Buffer) => number) =>
  require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;

test.each([
  // RFC 3720, B.4: 32 bytes of zeros, of ones, ascending, descending.
  ['zeros', Buffer.alloc(32), 0x8a9136aa],
  ['ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['ascending', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['descending', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
  ['nothing', Buffer.alloc(0), 0],
  ['"123456789"', Buffer.from('123456789'), 0xe3069283],
])('%s', (_, bytes, expected) => expect(crc32c(bytes)).toBe(expected));

test('as kafkajs computes it, wherever the bytes begin and however many they are', () => {
  const slow = kafkajs();
  const all = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * i * 31 + 7 * i) & 0xff));
  for (let from = 0; from < 9; from += 1) {
    for (let length = 0; length < 40; length += 1) {
      const bytes = all.subarray(from, from + length);
      expect(crc32c(bytes)).toBe(slow(bytes));
    }
    expect(crc32c(all.subarray(from))).toBe(slow(all.subarray(from)));
  }
});

test('kafkajs uses it for its record batches once it is repaired', () => {
  require('kafkajs');
  // Had they been loaded by now, they would have kept the slow one.
  expect(require.cache[require.resolve('kafkajs/src/protocol/recordBatch/v0')]).toBeUndefined();
  repairKafkajs();
  expect(kafkajs()).toBe(crc32c);
});
