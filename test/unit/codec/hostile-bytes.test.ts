import { observationsCodec, outcomesCodec, roundsCodec, shardsCodec, type Codec } from '#schemas/codec';
import { SchemaParser } from '#schemas/codec/avro-schema';
import { ByteReader } from '#schemas/codec/byte-reader';
import { compileReader } from '#schemas/codec/compile-reader';
import { RoundhouseError } from '#schemas/errors';
import { manifest, observation, outcome, shard } from './samples';

function codeOf(decode: () => unknown): string {
  try {
    decode();
    return 'none';
  } catch (error) {
    return error instanceof RoundhouseError ? error.code : `not ours: ${String(error)}`;
  }
}

const cases: [string, Codec<unknown>, Buffer][] = [
  ['rounds', roundsCodec as Codec<unknown>, roundsCodec.encode(manifest)],
  ['shards', shardsCodec as Codec<unknown>, shardsCodec.encode(shard)],
  ['outcomes', outcomesCodec as Codec<unknown>, outcomesCodec.encode(outcome)],
  ['observations', observationsCodec as Codec<unknown>, observationsCodec.encode(observation)],
];

test.each(cases)('%s: every truncation is PAYLOAD_INVALID', (_name, codec, bytes) => {
  for (let length = 0; length < bytes.length; length++) {
    expect(codeOf(() => codec.decode(bytes.subarray(0, length)))).toBe('PAYLOAD_INVALID');
  }
});

test.each(cases)('%s: trailing bytes are PAYLOAD_INVALID', (_name, codec, bytes) => {
  expect(codeOf(() => codec.decode(Buffer.concat([bytes, Buffer.of(0)])))).toBe('PAYLOAD_INVALID');
});

test.each(cases)(
  '%s: a byte changed anywhere decodes or is a typed error, with bounded memory',
  (_name, codec, bytes) => {
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0x00, 0x7f, 0x80, 0xff]) {
        const spoiled = Buffer.from(bytes);
        spoiled[at] = value;
        expect(['none', 'PAYLOAD_INVALID', 'SCHEMA_UNKNOWN']).toContain(codeOf(() => codec.decode(spoiled)));
      }
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  },
);

test('an unknown fingerprint is SCHEMA_UNKNOWN and named', () => {
  const bytes = Buffer.from(observationsCodec.encode(observation));
  bytes.fill(0x11, 2, 10);
  expect(codeOf(() => observationsCodec.decode(bytes))).toBe('SCHEMA_UNKNOWN');
  expect(() => observationsCodec.decode(bytes)).toThrow('1111111111111111');
});

test("another topic's message is not read with this topic's schema", () => {
  expect(codeOf(() => shardsCodec.decode(outcomesCodec.encode(outcome)))).toBe('SCHEMA_UNKNOWN');
});

test('bytes without the marker are PAYLOAD_INVALID', () => {
  expect(codeOf(() => shardsCodec.decode(Buffer.from('{"json": true}')))).toBe('PAYLOAD_INVALID');
});

describe('declared sizes', () => {
  const longs = compileReader(
    new SchemaParser().parse({ type: 'array', items: 'double' }),
    new SchemaParser().parse({ type: 'array', items: 'double' }),
  );
  // Zig-zag of 2^31 is 2^32: 80 80 80 80 10.
  const hugeCount = Buffer.from('8080808010', 'hex');

  test('an array of 2^31 doubles in 5 bytes is refused before anything is allocated', () => {
    const before = process.memoryUsage().heapUsed;
    expect(() => longs(new ByteReader(hugeCount))).toThrow('2147483648 items cannot be in 0 bytes');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(1024 * 1024);
  });

  test('so is a negative count (a block with its size)', () => {
    // Count −2 (zig-zag 3), size 16 (zig-zag 32), and no byte behind it.
    expect(() => longs(new ByteReader(Buffer.of(0x03, 0x20)))).toThrow('block of 16 bytes, 0 left');
  });

  test('a block with its size is read', () => {
    const block = Buffer.concat([Buffer.of(0x01, 0x10), Buffer.alloc(8), Buffer.of(0x00)]);
    expect(longs(new ByteReader(block))).toEqual([0]);
  });

  test('bytes of 2^31 in 5 bytes, a negative length and an endless integer are refused', () => {
    expect(() => new ByteReader(hugeCount).byteString()).toThrow('2147483648 bytes wanted, 0 left');
    expect(() => new ByteReader(Buffer.of(0x01)).byteString()).toThrow('negative length -1');
    expect(() => new ByteReader(Buffer.alloc(20, 0x80)).long()).toThrow('integer of more than 10 bytes');
    expect(() => new ByteReader(Buffer.alloc(3, 0x80)).long()).toThrow('integer cut off');
    // Ten bytes whose last holds more than one bit: beyond 64 bits.
    const tooWide = Buffer.from(`${'ff'.repeat(9)}02`, 'hex');
    expect(() => new ByteReader(tooWide).bigLong()).toThrow('integer beyond 64 bits');
  });

  test('text that is not UTF-8 is refused; a real U+FFFD is not', () => {
    expect(() => new ByteReader(Buffer.of(0x02, 0xff)).string()).toThrow('text is not UTF-8');
    expect(new ByteReader(Buffer.from('06efbfbd', 'hex')).string()).toBe('\ufffd');
  });
});

test('maps, recursive types and a field named __proto__ are refused in schemas', () => {
  const parse = (schema: unknown) => () => new SchemaParser().parse(schema);
  expect(parse({ type: 'map', values: 'int' })).toThrow('unknown type map');
  const recursive = { type: 'record', name: 'Node', fields: [{ name: 'next', type: ['null', 'Node'] }] };
  expect(parse(recursive)).toThrow('unknown type Node');
  const proto = { type: 'record', name: 'R', fields: [{ name: '__proto__', type: 'int' }] };
  expect(parse(proto)).toThrow('is no name');
});

test('ids like __proto__ and constructor are ordinary text', () => {
  const value = { ...observation, orderId: '__proto__', tenantId: 'constructor' } as typeof observation;
  const decoded = observationsCodec.decode(observationsCodec.encode(value));
  expect(decoded.orderId).toBe('__proto__');
  expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
});
