import { elementsOf, requireShape } from './json-shape';

const shape =
  (text: string, maxElements = 10) =>
  () =>
    requireShape(Buffer.from(text), { maxElements });

test('counts values, in nested lists too', () => {
  // 1 + a bracket + 8 commas = 10
  expect(shape('[1,2,3,4,5,6,7,8,9]')).not.toThrow();
  expect(shape('[1,2,3,4,5,6,7,8,9,10]')).toThrow(/^a body of more than 10 JSON values$/);
  // 1 + 1 + 4 brackets + 4 commas = 10
  expect(shape('[[],[],[],[],0]')).not.toThrow();
  expect(shape('[[],[],[],[],[]]')).toThrow(/more than 10/);
  expect(shape('[[],[],[],[],[]]')).toThrow(expect.objectContaining({ code: 'ROUND_TOO_LARGE' }));
});

test('what stands in strings does not count', () => {
  expect(shape(JSON.stringify({ a: ',[{,[{,[{,[{,[{,', '",[{': '\\",,,,,,,,,,,\\\\' }))).not.toThrow();
  expect(shape('{"a\\\\":[1,2,3,4,5,6,7,8,9]}')).toThrow(/more than 10/);
});

test('depth is bounded', () => {
  expect(shape(`${'['.repeat(64)}${']'.repeat(64)}`, 1_000)).not.toThrow();
  expect(shape('['.repeat(65), 1_000)).toThrow(/nested more than 64 deep/);
  expect(shape('[]'.repeat(100), 1_000)).not.toThrow();
});

test('broken text is left to the parser', () => {
  for (const text of ['', '"', '"\\', ']]]', '{"a', '\u0000']) expect(shape(text)).not.toThrow();
});

test('the largest order and courier have room', () => {
  const skills = Array.from({ length: 32 }, (_, i) => `s${i}`);
  const ids = Array.from({ length: 8 }, (_, i) => `o${i}`);
  const stop = {
    placeId: 'p',
    point: { x: 0, y: 0 },
    travelZone: 0,
    preServiceSeconds: 0,
    postServiceSeconds: 0,
  };
  const order = {
    orderId: 'o',
    pickup: stop,
    dropoff: stop,
    ...{ placedAt: 0, readyAt: 0, promisedAt: 0, latestDropoffAt: 0, size: 1, timesDeferred: 0 },
    requiredSkills: skills,
    known: { ready: true, pickupWait: true, handover: true },
    features: { a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0 },
  };
  const courier = {
    ...{ courierId: 'c', position: { x: 0, y: 0 }, travelZone: 0, availableAt: 0, shiftEndsAt: 0 },
    ...{ vehicle: 'bike', capacity: 1, skills, tentativeOrderIds: ids },
    held: ids.map((orderId) => ({ orderId, onBoard: true })),
  };
  const body = { orders: Array(500).fill(order), couriers: Array(200).fill(courier) };
  const maxElements = elementsOf({ maxOrders: 500, maxCouriers: 200 });
  expect(shape(JSON.stringify(body), maxElements)).not.toThrow();
});
