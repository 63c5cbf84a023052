import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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
import { avroType, canonicalForm } from '#schemas/codec/avro-type';
import { rabinFingerprint } from '#schemas/codec/fingerprint';
import type { Decision, Observation, RoundManifest, Shard } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import { decision, manifest, observation, outcome, shard } from './samples';

const cases: [string, Codec<unknown>, unknown][] = [
  ['rounds', roundsCodec as Codec<unknown>, manifest],
  ['shards', shardsCodec as Codec<unknown>, shard],
  ['outcomes', outcomesCodec as Codec<unknown>, outcome],
  ['decisions', decisionsCodec as Codec<unknown>, decision],
  ['observations', observationsCodec as Codec<unknown>, observation],
];

function canonicalOf(topic: string): string {
  const json = readFileSync(projectPath('schemas', 'avro', `${topic}.avsc`), 'utf8');
  return canonicalForm(avroType(JSON.parse(json)));
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

  test('the canonical form has full names, and neither docs, defaults nor our own attributes', () => {
    const schema = {
      type: 'record',
      name: 'R',
      namespace: 'n',
      doc: 'd',
      fields: [
        { name: 'a', type: ['null', 'int'], default: null, 'x-absent': true },
        { name: 'b', type: { type: 'long', 'x-js': 'bigint' } },
        {
          name: 'c',
          type: { type: 'array', items: { type: 'enum', name: 'E', symbols: ['x'], default: 'x' } },
        },
        { name: 'd', type: 'E' },
      ],
    };
    expect(canonicalForm(avroType(schema))).toBe(
      '{"name":"n.R","type":"record","fields":[' +
        '{"name":"a","type":["null","int"]},' +
        '{"name":"b","type":"long"},' +
        '{"name":"c","type":{"type":"array","items":{"name":"n.E","type":"enum","symbols":["x"]}}},' +
        '{"name":"d","type":"n.E"}]}',
    );
  });

  test('the marker and the fingerprint stand before the body, little-endian', () => {
    const bytes = observationsCodec.encode(observation);
    expect(bytes.subarray(0, 2).toString('hex')).toBe('c301');
    expect(bytes.readBigUInt64LE(2)).toBe(rabinFingerprint(Buffer.from(canonicalOf('observations'))));
  });
});

describe('every topic', () => {
  test.each(cases)('%s: decode(encode(x)) is x', (_topic, codec, value) => {
    expect(codec.decode(codec.encode(value))).toEqual(value);
  });

  test.each(cases)('%s: golden bytes', (topic, codec, value) => {
    const golden = readFileSync(projectPath('test', 'fixtures', 'codec', `${topic}.hex`), 'utf8');
    expect(codec.encode(value).toString('hex')).toBe(golden.trim());
    expect(codec.decode(Buffer.from(golden.trim(), 'hex'))).toEqual(value);
  });
});

describe('bytes computed by hand', () => {
  test('an observation', () => {
    const value = { ...observation, tenantId: 't', runId: 'é', zoneId: '', orderId: 'o1', at: -300 };
    const body = [
      '0274', // 1 byte (zig-zag 2), "t"
      '04c3a9', // 2 bytes (zig-zag 4), U+00E9
      '00', // no byte
      '046f31', // 2 bytes, "o1"
      '00', // courierId: branch 0, null
      '02', // kind: symbol 1 (zig-zag 2), dropped_off
      'd704', // −300: zig-zag 2·300 − 1 = 599 = 4·128 + 87, so 87 + 128 = 0xd7, then 0x04
    ];
    expect(observationsCodec.encode(value as Observation).toString('hex', 10)).toBe(body.join(''));
  });

  test('the content of a decision', () => {
    const content = {
      assignments: [],
      moves: [{ courierId: 'c', placeId: 'p', departAt: 64 }],
      unassigned: [],
      shards: [{ shardIndex: 1, status: 'late', errorCode: 'E' }],
      candidatesTotal: 2,
      candidatesArrived: 1,
      coverage: 0.5,
      closedBy: 'deadline',
      assignmentGap: 2n ** 63n - 1n,
      models: [],
    };
    const bytes = [
      '00', // no assignments
      '02' + '0263' + '0270' + '8001' + '00', // one move; 64 is zig-zag 128 = 1·128 + 0; end of array
      '00', // none unassigned
      '02' + '02' + '04' + '020245' + '00', // one shard: index 1, symbol 2, branch 1 with "E"; end
      '04' + '02', // 2 and 1
      '000000000000e03f', // 0.5 is 0x3fe0 << 48, little-endian
      '02', // symbol 1
      'feffffffffffffffff01', // zig-zag 2^64 − 2: 7 bits without the lowest, 8·7 ones, the 64th bit
      '00', // no models
    ];
    expect(encodeDecisionContent(content as never).toString('hex')).toBe(bytes.join(''));
  });
});

test('a message larger than the scratch buffer is written whole', () => {
  const data = Buffer.alloc(300_000, 0xa5);
  const large = { ...shard, tensors: [{ ...shard.tensors[0]!, data }] } as Shard;
  expect(shardsCodec.decode(shardsCodec.encode(large))).toEqual(large);
  expect(shardsCodec.decode(shardsCodec.encode(shard))).toEqual(shard);
});

test('any Uint8Array is a byte field, also a view', () => {
  const data = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
  const value = { ...shard, tensors: [{ ...shard.tensors[0]!, data }] } as Shard;
  expect([...shardsCodec.decode(shardsCodec.encode(value)).tensors[0]!.data]).toEqual([1, 2, 3]);
});

test('a decoded record is a plain object, and an absent property is absent', () => {
  const { round } = roundsCodec.decode(roundsCodec.encode(manifest));
  expect(Object.getPrototypeOf(round)).toBe(Object.prototype);
  expect('travelZone' in round.couriers[0]!).toBe(false);
  expect(round.couriers[1]!.travelZone).toBe(0);
  expect(Object.keys(round.policy.travel)[0]).toBe('kind');
});

test('records of a union are told apart by kind', () => {
  const travel = { kind: 'matrix', contentHash: 'ab', quantumSeconds: 60, known: true } as const;
  const value = {
    ...manifest,
    round: { ...manifest.round, policy: { ...manifest.round.policy, travel } },
  } as unknown as RoundManifest;
  expect(roundsCodec.decode(roundsCodec.encode(value)).round.policy.travel).toEqual(travel);
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
    2 ** 52 + 1,
    2 ** 53 - 3,
    2 ** 53 - 2,
    -(2 ** 52) + 1,
    -(2 ** 52),
  ];
  test.each(times.map((n) => [n]))('time %s is exact', (at) => {
    const value = { ...observation, at } as Observation;
    expect(observationsCodec.decode(observationsCodec.encode(value)).at).toBe(at);
  });

  const inexact = [
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 52) - 1,
    -4503599627370499,
    1.5,
    NaN,
    Infinity,
    '5',
    5n,
    null,
  ];
  test.each(inexact.map((n) => [n]))('time %s is rejected, not rounded', (at) => {
    const value = { ...observation, at } as unknown as Observation;
    expect(() => observationsCodec.encode(value)).toThrow(
      /^at: expected an integer from −2\^52 to 2\^53 − 2/,
    );
  });

  test.each([[2 ** 31], [-(2 ** 31) - 1], [0.5], [1n], ['1']])('shardIndex %s is no int', (shardIndex) => {
    const value = { ...shard, shardIndex } as unknown as Shard;
    expect(() => shardsCodec.encode(value)).toThrow(/^shardIndex: expected a 32-bit integer/);
  });

  /** An observation whose last field, `at`, has these bytes. */
  const withAt = (hex: string) => {
    const bytes = observationsCodec.encode({ ...observation, at: 0 } as Observation);
    return Buffer.concat([bytes.subarray(0, -1), Buffer.from(hex, 'hex')]);
  };
  test.each([
    // 2^53 − 1 in eight groups of seven bits: seven of 7 ones, one of 4 (49 + 4 = 53): −2^52.
    ['ffffffffffffff0f', -(2 ** 52)],
    // The smallest even number that is one too many is 2^54 − 2 (for 2^53 − 1); 2^54 − 4 is the last.
    ['fcffffffffffff1f', 2 ** 53 - 2],
  ])('%s on the wire is %s', (hex, at) => {
    expect(observationsCodec.decode(withAt(hex)).at).toBe(at);
  });

  test.each([
    ['feffffffffffff1f'], // 2^54 − 2, for 2^53 − 1
    ['8180808080808010'], // 2^53 + 1, for −2^52 − 1: avsc alone reads +2^52
    ['8580808080808010'], // 2^53 + 5, for −4503599627370499: the case of the project's facts
    ['8080808080808020'], // 2^54, for 2^53
    ['ffffffffffffffffff01'], // 2^64 − 1, for −2^63
  ])('%s on the wire is rejected', (hex) => {
    expect(() => observationsCodec.decode(withAt(hex))).toThrow('integer is not exact as a number');
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
    ['round.couriers[0].vehicle', (m: any) => (m.round.couriers[0].vehicle = 'constructor')],
    ['round.couriers[0].vehicle', (m: any) => (m.round.couriers[0].vehicle = ['bike'])],
    ['round.couriers[0].travelZone', (m: any) => (m.round.couriers[0].travelZone = 0.5)],
    ['round.orders[0]', (m: any) => (m.round.orders[0] = undefined)],
    ['round.orders[0].pickup', (m: any) => (m.round.orders[0].pickup = null)],
    ['round.sequence', (m: any) => (m.round.sequence = 1)],
    ['round.policy.interleave', (m: any) => (m.round.policy.interleave = 1)],
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

test('byte fields of a decoded value are copies: the message may be used again', () => {
  const bytes = Buffer.from(shardsCodec.encode(shard));
  const decoded: Shard = shardsCodec.decode(bytes);
  bytes.fill(0);
  expect(decoded).toEqual(shard);
});
