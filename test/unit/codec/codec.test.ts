import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import avsc from 'avsc';
import {
  decisionContentHash,
  decisionsCodec,
  encodeDecisionContent,
  observationsCodec,
  outcomesCodec,
  roundsCodec,
  shardsCodec,
  type Codec,
} from '#schemas/codec';
import { canonicalForm } from '#schemas/codec/avro-schema';
import { rabinFingerprint } from '#schemas/codec/fingerprint';
import type { Decision, Observation, Shard } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import { decision, manifest, observation, outcome, shard } from './samples';

const cases: [string, Codec<unknown>, unknown][] = [
  ['rounds', roundsCodec as Codec<unknown>, manifest],
  ['shards', shardsCodec as Codec<unknown>, shard],
  ['outcomes', outcomesCodec as Codec<unknown>, outcome],
  ['decisions', decisionsCodec as Codec<unknown>, decision],
  ['observations', observationsCodec as Codec<unknown>, observation],
];

function schemaJson(topic: string): avsc.Schema {
  return JSON.parse(readFileSync(projectPath('schemas', 'avro', `${topic}.avsc`), 'utf8')) as avsc.Schema;
}

describe('fingerprints', () => {
  // From the Avro project's schema-tests.txt.
  test.each([
    ['"null"', 7195948357588979594n],
    ['"boolean"', -6970731678124411036n],
    ['"int"', 8247732601305521295n],
  ])('CRC-64-AVRO of %s', (canonical, expected) => {
    expect(BigInt.asIntN(64, rabinFingerprint(Buffer.from(canonical)))).toBe(expected);
  });

  test.each(cases)('%s has the canonical form that avsc derives', (topic) => {
    const json = schemaJson(topic);
    expect(canonicalForm(json)).toBe(
      JSON.stringify(avsc.Type.forSchema(json, { wrapUnions: 'always' }).schema()),
    );
  });

  test('the marker and the fingerprint stand before the body, little-endian', () => {
    const bytes = observationsCodec.encode(observation);
    expect(bytes.subarray(0, 2).toString('hex')).toBe('c301');
    const canonical = Buffer.from(canonicalForm(schemaJson('observations')));
    expect(bytes.readBigUInt64LE(2)).toBe(rabinFingerprint(canonical));
  });
});

describe('every topic', () => {
  test.each(cases)('%s: decode(encode(x)) is x', (_topic, codec, value) => {
    expect(codec.decode(codec.encode(value))).toEqual(value);
  });

  test.each(cases)('%s: avsc reads the same bytes', (topic, codec, value) => {
    const longs = avsc.types.LongType.__with({
      fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
      toBuffer: (n: bigint) => {
        const buffer = Buffer.alloc(8);
        buffer.writeBigInt64LE(n);
        return buffer;
      },
      fromJSON: BigInt,
      toJSON: String,
      isValid: (n: unknown) => typeof n === 'bigint',
      compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
    });
    // avsc takes its registry's long only for the plain name.
    const json = JSON.parse(
      JSON.stringify(schemaJson(topic)).replaceAll('{"type":"long","x-js":"bigint"}', '"long"'),
    ) as avsc.Schema;
    const type = avsc.Type.forSchema(json, { wrapUnions: 'always', registry: { long: longs } });
    const body = codec.encode(value).subarray(10);
    // Another reader takes exactly our bytes, and its own writer gives them back.
    expect(type.toBuffer(type.fromBuffer(body))).toEqual(body);
  });

  test.each(cases)('%s: golden bytes', (topic, codec, value) => {
    const golden = readFileSync(projectPath('test', 'fixtures', 'codec', `${topic}.hex`), 'utf8');
    expect(codec.encode(value).toString('hex')).toBe(golden.trim());
  });
});

describe('numbers', () => {
  const sequences = [0n, -1n, 1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -4503599627370499n];
  test.each(sequences.map((n) => [n]))('sequence %s is exact', (sequence) => {
    const value = { ...decision, sequence } as Decision;
    expect(decisionsCodec.decode(decisionsCodec.encode(value)).sequence).toBe(sequence);
  });

  const times = [
    0,
    -1,
    63,
    64,
    -64,
    -65,
    8191,
    8192,
    2 ** 30 - 1,
    2 ** 30,
    -(2 ** 30),
    -(2 ** 30) - 1,
    2 ** 31,
    2 ** 48,
    -(2 ** 48) - 1,
    -4503599627370499,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ];
  test.each(times.map((n) => [n]))('time %s is exact', (at) => {
    const value = { ...observation, at } as Observation;
    expect(observationsCodec.decode(observationsCodec.encode(value)).at).toBe(at);
  });

  test.each([[2 ** 53], [1.5], [NaN], [Infinity], ['5'], [5n]])('time %s is rejected, not rounded', (at) => {
    const value = { ...observation, at } as unknown as Observation;
    expect(() => observationsCodec.encode(value)).toThrow(/^at: expected an integer of at most 53 bits/);
  });

  test('a long of the wire beyond 2^53 is rejected where a number is wanted', () => {
    const bytes = observationsCodec.encode({ ...observation, at: 0 } as Observation);
    const at2to53 = Buffer.concat([
      bytes.subarray(0, -1),
      Buffer.from('80808080808080 20'.replace(' ', ''), 'hex'),
    ]);
    // 0x20 in the eighth group: 2^5 · 2^49 = 2^54 zig-zag, which is 2^53.
    expect(() => observationsCodec.decode(at2to53)).toThrow('9007199254740992 is not exact');
  });

  test('a sequence of 65 bits is rejected', () => {
    expect(() => decisionsCodec.encode({ ...decision, sequence: 2n ** 63n })).toThrow(/^sequence: /);
  });
});

describe("what a schema can't hold is named by its path", () => {
  test.each([
    ['round.orders[1].pickup.point.x', (m: any) => (m.round.orders[1].pickup.point.x = 'east')],
    ['round.couriers[0].vehicle', (m: any) => (m.round.couriers[0].vehicle = 'boat')],
    ['round.policy.travel', (m: any) => (m.round.policy.travel = { kind: 'teleport' })],
    ['round.couriers[1].skills[0]', (m: any) => (m.round.couriers[1].skills = ['\ud800'])],
    ['shardOrders[0]', (m: any) => (m.shardOrders = [[1]])],
    ['models', (m: any) => (m.models = null)],
  ])('%s', (path, spoil) => {
    const value = structuredClone(manifest);
    spoil(value);
    expect(() => roundsCodec.encode(value)).toThrow(
      new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}: expected`),
    );
  });
});

test('the content hash is the SHA-256 of the content alone', () => {
  const bytes = encodeDecisionContent(decision.content);
  expect(decisionContentHash(decision.content)).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(decisionsCodec.encode(decision).subarray(-bytes.length)).toEqual(bytes);
});

test('byte fields of a decoded value are views on the message', () => {
  const bytes = shardsCodec.encode(shard);
  const decoded: Shard = shardsCodec.decode(bytes);
  expect(decoded.tensors[0]!.data.buffer).toBe(bytes.buffer);
});
