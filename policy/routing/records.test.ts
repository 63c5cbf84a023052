import {
  decodeOrderTimes,
  decodePlans,
  decodeTravelMatrix,
  encodeOrderTimes,
  encodePlans,
  encodeTravelMatrix,
  packStops,
  unpackStops,
  type Plan,
} from './index';

test('stops are packed 4 bits each, the first one lowest', () => {
  // Stops 3 1 2 are 2 0 1 less one: 0x102.
  expect(packStops([3, 1, 2])).toBe(0x102n);
  expect(unpackStops(0x102n, 3)).toEqual([3, 1, 2]);
  const sixteen = Array.from({ length: 16 }, (_, i) => 16 - i);
  expect(packStops(sixteen)).toBe(0x0123456789abcdefn);
  expect(unpackStops(packStops(sixteen), 16)).toEqual(sixteen);
});

test.each([
  ['a stop twice', 0x11n, 2],
  ['a stop beyond the plan', 0x20n, 2],
])('%s is refused', (_, packed, count) => {
  expect(() => unpackStops(packed, count)).toThrow(expect.objectContaining({ code: 'PAYLOAD_INVALID' }));
});

const plan: Plan = {
  courier: 513,
  orders: [7, 65_534],
  feasible: true,
  unproven: true,
  cost: -(2n ** 63n),
  packedStops: 0xfedcba9876543210n,
};

test('a plan record has the bytes that the contract says', () => {
  // courier 0x0201, 2 orders, flags 1 | 2, orders 7 and 0xfffe then 0xffff, cost −2^63, stops.
  const hex = Buffer.from(encodePlans([plan])).toString('hex');
  expect(hex).toBe('01020203' + '0700feffffffffffffffffff' + '0000000000000080' + '1032547698badcfe');
});

test('plan records come back from an unaligned slice', () => {
  const records = encodePlans([plan, { ...plan, orders: [], cost: 5n, feasible: false }]);
  const unaligned = new Uint8Array(1 + records.length);
  unaligned.set(records, 1);
  expect(decodePlans(unaligned.subarray(1))).toEqual([
    plan,
    { ...plan, orders: [], cost: 5n, feasible: false },
  ]);
});

test('a cut plan record and one of seven orders are refused', () => {
  expect(() => decodePlans(new Uint8Array(33))).toThrow(expect.objectContaining({ code: 'PAYLOAD_INVALID' }));
  const seven = encodePlans([plan]);
  seven[2] = 7;
  expect(() => decodePlans(seven)).toThrow(expect.objectContaining({ code: 'PAYLOAD_INVALID' }));
});

test('order times come back by round index', () => {
  const times = new Map([[9, { readyAt: -60, pickupPostService: 30, dropoffPostService: 45 }]]);
  expect(encodeOrderTimes(times)).toHaveLength(16);
  expect(decodeOrderTimes(encodeOrderTimes(times))).toEqual(times);
  expect(() => decodeOrderTimes(new Uint8Array(15))).toThrow(/rows of 16/);
});

test('a travel matrix is read with its content hash; a broken one is refused with the reason', () => {
  const file = encodeTravelMatrix(2, [[0, 60, 70, 0]], [0, null, 0, 0]);
  const matrix = decodeTravelMatrix(file);
  expect([matrix.zones, ...matrix.secondsByVehicle[0]!]).toEqual([2, 0, 60, 70, 0]);
  expect(matrix.secondsByVehicle[1]).toBeUndefined();
  expect(matrix.contentHash).toMatch(/^[0-9a-f]{64}$/);
  expect(() => decodeTravelMatrix(file.subarray(0, 40))).toThrow('40 bytes, not 48');
  expect(() => decodeTravelMatrix(Buffer.from('nonsense'))).toThrow('no RHTRAVEL header');
  expect(() => decodeTravelMatrix(encodeTravelMatrix(1, [[-1]]))).toThrow('a time outside 0..604800');
});
