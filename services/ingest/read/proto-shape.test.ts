import { SeededRandom } from '#policy/assignment/seeded-random';
import { requireProtoShape } from './proto-shape';
import { parseProto, roundhouseProto, shapeOf } from './round-proto';

const proto = roundhouseProto();
const round = shapeOf(proto, 'Round');
const shape =
  (bytes: Uint8Array | readonly number[], maxElements = 10) =>
  () =>
    requireProtoShape(Uint8Array.from(bytes), round, { maxElements });

const { serialize } = proto['roundhouse.v1.Round'] as unknown as { serialize(round: object): Buffer };
const point = { x: 13.4, y: 52.5 };
const body = {
  roundId: 'r',
  sequence: '-9223372036854775808',
  deadline: '1900000000000',
  couriers: [
    { courierId: 'k', position: point, skills: ['a', 'b'], held: [{ orderId: 'o', onBoard: true }] },
  ],
  orders: [{ orderId: 'a', pickup: { point }, dropoff: { point }, known: { ready: false }, size: -1 }],
  policy: { weights: { lateness: 1 }, quantile: 'p50', chains: { maxTrips: 2 } },
};

test('counts the fields of every message, and what is unknown', () => {
  // 1, then 9 orders of two bytes: field 11, wire type 2, empty.
  const empty = (count: number) =>
    Array<number[]>(count)
      .fill([11 * 8 + 2, 0])
      .flat();
  expect(shape(empty(9))).not.toThrow();
  expect(shape(empty(10))).toThrow(/^a body of more than 10 values$/);
  expect(shape(empty(10))).toThrow(expect.objectContaining({ code: 'ROUND_TOO_LARGE' }));
  // 1 + a courier + 8 empty skills (field 8) = 10; one more doesn't go.
  const courier = (skills: number) => [
    10 * 8 + 2,
    2 * skills,
    ...Array<number[]>(skills).fill([66, 0]).flat(),
  ];
  expect(shape(courier(8))).not.toThrow();
  expect(shape(courier(9))).toThrow(/more than 10/);
  // Field 15 is unknown: a number each.
  expect(shape(Array<number[]>(9).fill([120, 1]).flat())).not.toThrow();
  expect(shape(Array<number[]>(10).fill([120, 1]).flat())).toThrow(/more than 10/);
  // What stands in a text is no field.
  expect(shape([3 * 8 + 2, 20, ...empty(10)])).not.toThrow();
});

test('a round as clients send it passes, and is read as it was', () => {
  const limits = { maxElements: 100 };
  expect(parseProto(serialize(body), limits)).toEqual(body);
  expect(() => parseProto(serialize(body), { maxElements: 20 })).toThrow(/more than 20 values/);
});

test.each([
  [
    'a message with the wire type of a number, whose length the decoder would read all the same',
    [80, 4, 66, 0],
  ],
  ['a text with the wire type of a number', [24, 1, 65]],
  ['a number with the wire type of a text', [42, 1, 1]],
  ['a double of four bytes', [82, 7, 18, 5, 13, 0, 0, 0, 0]],
  ['a length beyond the end of the body', [26, 5, 65]],
  ['a field beyond the end of its message, but not of the body', [82, 2, 10, 3, 65, 65, 65]],
  ['a message beyond the end of its message', [82, 2, 18, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['a group', [123, 124]],
  ['an end of a group', [124]],
  ['the field number 0', [2, 0]],
  ['a tag without its field', [26]],
  ['a tag of more than 32 bits', [0xda, 0x80, 0x80, 0x80, 0x10, 0]],
  ['a length of more than five bytes', [26, 0x81, 0x80, 0x80, 0x80, 0x80, 0, 65]],
  ['a number without an end', [40, ...Array<number>(10).fill(0x80)]],
  ['a number that is cut short', [40, 0x80]],
  ['a fixed number that is cut short', [121, 1, 2, 3]],
])('%s is no Round', (_, bytes) => {
  expect(shape(bytes)).toThrow(expect.objectContaining({ code: 'PAYLOAD_INVALID' }));
  expect(shape(bytes)).toThrow(/^the message is no Round: /);
});

test('no field of a round holds several numbers, which the walk would count as one', () => {
  const types = Object.values(proto).flatMap((entry) => ('type' in entry ? [entry.type] : []));
  const fields = (types as { field: { name: string; label: string; type: string }[] }[]).flatMap(
    (type) => type.field,
  );
  const repeated = fields.filter(({ label }) => label === 'LABEL_REPEATED');
  expect(repeated.length).toBeGreaterThan(5);
  for (const { type } of repeated) expect(type).toMatch(/^TYPE_(STRING|MESSAGE)$/);
});

/** Objects, lists' values and fields of what was decoded. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 0);
}

test('of random bytes at random places nothing gets through that becomes more than was counted', () => {
  const random = new SeededRandom(7);
  const valid = serialize(body);
  let passed = 0;
  for (let run = 0; run < 20_000; run++) {
    const bytes = Buffer.from(valid);
    for (let change = 0; change < 1 + (run % 3); change++) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    // Lists are values here beside what they hold: at most twice as many as fields.
    const maxElements = 50;
    try {
      expect(valuesIn(parseProto(bytes, { maxElements }))).toBeLessThanOrEqual(2 * maxElements);
      passed += 1;
    } catch (error) {
      expect(['ROUND_TOO_LARGE', 'PAYLOAD_INVALID']).toContain((error as { code?: string }).code);
    }
  }
  expect(passed).toBeGreaterThan(1_000);
});
