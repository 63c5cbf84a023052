import {
  decisionsCodec,
  observationsCodec,
  outcomesCodec,
  roundsCodec,
  shardsCodec,
  type Codec,
} from '#schemas/codec';
import { avroType } from '#schemas/codec/avro-type';
import { compileReader } from '#schemas/codec/schema-store';
import { RoundhouseError } from '#schemas/errors';
import { decision, manifest, observation, outcome, shard } from './samples';

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
  ['decisions', decisionsCodec as Codec<unknown>, decisionsCodec.encode(decision)],
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

/** Reads the bytes as what this schema's writer wrote. */
function read(schema: unknown, bytes: Buffer, reader: unknown = schema): unknown {
  const type = avroType(schema);
  return compileReader(type, reader === schema ? type : avroType(reader))(bytes, 0);
}
const hex = (text: string) => Buffer.from(text, 'hex');

describe('declared sizes', () => {
  const doubles = { type: 'array', items: 'double' };
  // Zig-zag of 2^31 is 2^32: 80 80 80 80 10.
  const hugeCount = hex('8080808010');

  test('an array of 2^31 doubles in 5 bytes is refused before anything is allocated', () => {
    const before = process.memoryUsage().heapUsed;
    expect(() => read(doubles, hugeCount)).toThrow('2147483648 items cannot be in 0 bytes');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * 1024 * 1024);
  });

  test('so is a negative count (a block with its size)', () => {
    // Count −2 (zig-zag 3), size 16 (zig-zag 32), and no byte behind it.
    expect(() => read(doubles, hex('0320'))).toThrow('block of 16 bytes, 0 left');
  });

  test('a block with its size is read, and two blocks are one array', () => {
    // Count −1 (zig-zag 1), size 8 (zig-zag 16), 0.0; the end.
    expect(read(doubles, hex('0110' + '00'.repeat(8) + '00'))).toEqual([0]);
    expect(read({ type: 'array', items: 'int' }, hex('020e' + '0410' + '12' + '00'))).toEqual([7, 8, 9]);
  });

  test('a block that does not end where its size says is refused, whether it is read or skipped', () => {
    const record = (fields: unknown[]) => ({ type: 'record', name: 'R', fields });
    const writer = record([{ name: 'a', type: { type: 'array', items: 'int' } }]);
    // Count −1, size 2 (zig-zag 4), 7; then the end and a byte that only a skip would take for an item.
    for (const reader of [writer, record([])]) {
      expect(() => read(writer, hex('01040e0000'), reader)).toThrow('block ends at 4, not');
    }
    expect(read(writer, hex('01020e00'), record([]))).toEqual({});
  });

  test('items without bytes are bounded too', () => {
    expect(() => read({ type: 'array', items: 'null' }, hugeCount)).toThrow('items cannot be in 0 bytes');
  });

  test('bytes of 2^31 in 5 bytes, a negative length and an endless integer are refused', () => {
    expect(() => read('bytes', hugeCount)).toThrow('2147483648 bytes wanted, 0 left');
    expect(() => read('string', hex('01'))).toThrow('negative length -1');
    expect(() => read('long', Buffer.alloc(20, 0x80))).toThrow('integer of more than 10 bytes');
    expect(() => read('long', Buffer.alloc(3, 0x80))).toThrow('integer cut off');
    // Ten bytes whose last holds more than one bit: beyond 64 bits.
    expect(() => read({ type: 'long', 'x-js': 'bigint' }, hex(`${'ff'.repeat(9)}02`))).toThrow(
      'beyond 64 bits',
    );
    // Zig-zag 2^32 is the int 2^31.
    expect(() => read('int', hugeCount)).toThrow('integer beyond 32 bits');
  });

  test('an index without a branch or symbol, and a boolean of 2, are refused', () => {
    expect(() => read(['null', 'int'], hex('04'))).toThrow('union branch 2 of 2');
    expect(() => read(['null', 'int'], hex('01'))).toThrow('union branch -1 of 2');
    expect(() => read({ type: 'enum', name: 'E', symbols: ['a'] }, hex('02'))).toThrow('enum value 1 of 1');
    expect(() => read('boolean', hex('02'))).toThrow('no boolean');
  });

  test('text that is not UTF-8 is refused; a real U+FFFD is not', () => {
    expect(() => read('string', hex('02ff'))).toThrow('text is not UTF-8');
    expect(() => read('string', hex('06eda080'))).toThrow('text is not UTF-8'); // an unpaired surrogate
    expect(read('string', hex('06efbfbd'))).toBe('\ufffd');
  });
});

test('maps, recursive types and a field named __proto__ are refused in schemas', () => {
  const load = (schema: unknown) => () => read(schema, Buffer.alloc(0));
  expect(load({ type: 'map', values: 'int' })).toThrow('map is not for messages');
  const recursive = { type: 'record', name: 'Node', fields: [{ name: 'next', type: ['null', 'Node'] }] };
  expect(load(recursive)).toThrow('Node is recursive');
  const proto = { type: 'record', name: 'R', fields: [{ name: '__proto__', type: 'int' }] };
  expect(load(proto)).toThrow('R has a field __proto__');
  const absent = { name: 'a', type: ['null', 'int'], 'x-absent': true };
  expect(load({ type: 'record', name: 'R', fields: [absent] })).toThrow('its default must be null');
});

test('ids like __proto__ and constructor are ordinary text', () => {
  const value = { ...observation, orderId: '__proto__', tenantId: 'constructor' } as typeof observation;
  const decoded = observationsCodec.decode(observationsCodec.encode(value));
  expect(decoded.orderId).toBe('__proto__');
  expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
});
