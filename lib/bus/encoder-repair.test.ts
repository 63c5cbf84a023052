/* eslint-disable @typescript-eslint/no-require-imports -- kafkajs' encoders have no declarations */
import { holdLargePieces } from './encoder-repair';

interface Encoder {
  readonly buffer: Buffer;
  size(): number;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeVarInt(value: number): Encoder;
  writeString(value: string | null): Encoder;
  writeBytes(value: Buffer | string | null): Encoder;
  writeVarIntBytes(value: Buffer | null): Encoder;
  writeBuffer(value: Buffer): Encoder;
  writeEncoder(value: Encoder): Encoder;
  writeEncoderArray(values: readonly Encoder[]): Encoder;
  writeArray(values: readonly Encoder[]): Encoder;
}

interface Protocol {
  readonly Encoder: new () => Encoder;
  /** A produce request of version 7, the newest that kafkajs has. */
  readonly produce: (options: object) => { encode(): Promise<Encoder> };
  /** A request with its size and header in front, as it goes to the socket. */
  readonly framed: (options: object) => Promise<Encoder>;
}

/** kafkajs' protocol in a module registry of its own, with or without the repair. */
function protocol(repaired: boolean): Protocol {
  let loaded: Protocol | undefined;
  jest.isolateModules(() => {
    const Encoder = require('kafkajs/src/protocol/encoder') as Protocol['Encoder'];
    if (repaired) holdLargePieces(Encoder.prototype as never);
    loaded = {
      Encoder,
      produce: require('kafkajs/src/protocol/requests/produce/v7/request') as Protocol['produce'],
      framed: require('kafkajs/src/protocol/request') as Protocol['framed'],
    };
  });
  return loaded!;
}

const plain = protocol(false);
const repaired = protocol(true);

type Batch = readonly object[];

async function framed({ produce, framed }: Protocol, batches: readonly Batch[], more = {}): Promise<Buffer> {
  const partitions = batches.map((messages, partition) => ({ partition, firstSequence: 7, messages }));
  const topicData = ['one', 'another'].map((topic) => ({ topic, partitions }));
  const options = { acks: -1, timeout: 1, producerId: '5', producerEpoch: 0, topicData, ...more };
  const request = produce(options);
  const encoder = await framed({ correlationId: 3, clientId: 'me', request });
  const size = encoder.size();
  expect(encoder.buffer.length).toBe(size);
  return encoder.buffer;
}

async function expectSame(batches: readonly Batch[], more?: object): Promise<void> {
  const wanted = await framed(plain, batches, more);
  expect((await framed(repaired, batches, more)).equals(wanted)).toBe(true);
}

// 1,024 bytes and more are held by reference, fewer are copied.
const sizes = [0, 1, 511, 1_023, 1_024, 1_025, 70_000];
const buffers = sizes.map((size) => Buffer.alloc(size, size % 251));
const keys = [undefined, null, '', 'key', 'ключ', ...buffers];
const values = [null, '', 'text', 'ü'.repeat(1_024), ...buffers];
const headers = [
  undefined,
  {},
  { name: 'value', other: '' },
  { name: ['several', 'of', 'one'] },
  { name: Buffer.alloc(3, 1), long: Buffer.alloc(1_024, 2) },
  { ['n'.repeat(1_024)]: 'x'.repeat(3_000) },
];

/** Every key with every value and all headers. Time stamps are up to 40 days apart: a delta of 5 bytes. */
const records = keys.flatMap((key, i) =>
  values.flatMap((value, j) =>
    headers.map((given, k) => {
      const timestamp = String(1_700_000_000_000 + (i * 11 + j * 7 + k) * 20_000_000);
      return { key, value, timestamp, ...(given && { headers: given }) };
    }),
  ),
);

test('every shape of a record, in a request of its own, is the bytes that kafkajs alone would send', async () => {
  expect(records).toHaveLength(12 * 11 * 6);
  for (const record of records) await expectSame([[record]]);
}, 60_000);

test.each([
  ['plain', {}],
  ['gzip', { compression: 1 }],
  ['transactional', { transactionalId: 'transaction' }],
  ['without a producer id', { producerId: undefined, producerEpoch: undefined }],
])(
  'all shapes in one request: %s',
  async (_, more) => {
    await expectSame([records, records.slice(0, 1), records.slice(100, 140)], more);
  },
  60_000,
);

/** Numbers in 0..1 from a seed (a linear congruence of 2^32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** What the numbers say, written to an encoder; encoders within it are made the same way. */
function written({ Encoder }: Protocol, next: () => number, depth = 0): Encoder {
  const encoder = new Encoder();
  const bytes = (): Buffer => Buffer.alloc(Math.floor(next() ** 4 * 3_000), next() * 256);
  const inner = (): Encoder => written({ Encoder } as Protocol, next, depth + 1);
  const writes = [
    () => encoder.writeInt16(7),
    () => encoder.writeInt32(-5),
    () => encoder.writeVarInt(Math.floor(next() * 1e6)),
    () => encoder.writeString(next() < 0.2 ? null : 's'.repeat(next() * 2_000)),
    () => encoder.writeBytes(next() < 0.2 ? null : bytes()),
    () => encoder.writeVarIntBytes(next() < 0.2 ? null : bytes()),
    () => encoder.writeBuffer(bytes()),
    () => expect(encoder.buffer).toHaveLength(encoder.size()), // joined half-way, then written on
    () => encoder.writeEncoder(inner()),
    () => encoder.writeEncoderArray([inner(), inner()]),
    () => encoder.writeArray([inner(), inner()]),
  ];
  const choices = depth < 3 ? writes.length : writes.length - 3;
  for (let i = 0; i < 8; i++) writes[Math.floor(next() * choices)]!();
  return encoder;
}

test('whatever is written, in whatever order and depth, is the same bytes', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const wanted = written(plain, numbersFrom(seed)).buffer;
    expect(written(repaired, numbersFrom(seed)).buffer.equals(wanted)).toBe(true);
  }
});
