import type { UnixMs } from '#schemas/brands';
import { defaultRoundLimits, requireLead, validateRound, type RoundLimits } from './index';

const now = 1_800_000_000_000 as UnixMs;
const deadline = now + 2_000;
const asOf = 1_800_000_000;

type Json = Record<string, unknown>;
const order = (orderId: string, changes: Json = {}): Json => ({
  orderId,
  pickup: { placeId: 'R', point: { x: 13.4, y: 52.5 } },
  dropoff: { point: { x: 13.41, y: 52.51 } },
  ...changes,
});
const courier = (courierId: string, changes: Json = {}): Json => ({
  courierId,
  position: { x: 13.39, y: 52.49 },
  ...changes,
});
const body = (changes: Json = {}): Json => ({
  roundId: '1',
  deadline,
  asOf,
  couriers: [courier('k')],
  orders: [order('a')],
  ...changes,
});

function faultsOf(value: unknown, limits?: RoundLimits): string[] {
  const result = validateRound(value, now, limits);
  return result.kind === 'valid'
    ? []
    : result.faults.map(({ path, value: v, limit }) => `${path}: ${v} | ${limit}`);
}
const pathsOf = (value: unknown) => faultsOf(value).map((fault) => fault.split(':')[0]);
function roundOf(value: unknown) {
  const result = validateRound(value, now);
  if (result.kind !== 'valid') throw new Error(JSON.stringify(result));
  return result.round;
}
const onlyFault = (value: unknown) => {
  const faults = faultsOf(value);
  expect(faults).toHaveLength(1);
  return faults[0];
};

describe('defaults', () => {
  test('a round needs an id, a deadline, and where its couriers and orders are', () => {
    const { asOf: _, ...least } = body();
    const round = roundOf(least);
    expect(round).toMatchObject({ tenantId: 'default', runId: 'live', zoneId: 'default', space: 'wgs84' });
    expect(round.asOf).toBe(1_800_000_002); // the deadline in whole seconds
    // Later rounds of a zone are newer, whatever their deadlines.
    expect(round.sequence).toBe(BigInt(now));
    expect(round.couriers[0]).toMatchObject({
      availableAt: round.asOf,
      vehicle: 'bike',
      capacity: 10,
      held: [],
    });
    expect(round.orders[0]).toMatchObject({
      readyAt: round.asOf,
      promisedAt: round.asOf + 2_400,
      latestDropoffAt: null,
      dropoff: { placeId: 'a', preServiceSeconds: 0 },
      known: { ready: true, pickupWait: true, handover: true },
    });
    // 1,800,000,002 mod 86,400 = 28,802; day 20,833 since Thursday 1 January 1970: (20,833 + 3) mod 7 = 4, Friday.
    expect(round.policy.context).toEqual({
      secondsOfDay: 28_802,
      dayOfWeek: 4,
      rainPerMille: 0,
      trafficPerMille: 0,
    });
  });
  test('an order with features has its times predicted', () => {
    const round = roundOf(body({ orders: [order('a', { features: { itemCount: 3 } })] }));
    expect(round.orders[0]!.known).toEqual({ ready: false, pickupWait: false, handover: false });
    expect(round.orders[0]!.features).toMatchObject({ itemCount: 3, merchantMeanPrepMinutes: 0 });
  });
  test('no couriers and no orders is a valid round', () => {
    expect(roundOf({ roundId: '1', deadline })).toMatchObject({ couriers: [], orders: [] });
    expect(faultsOf(body({ couriers: [] }))).toEqual([]);
    expect(faultsOf(body({ orders: [] }))).toEqual([]);
  });
});

test('all faults of a round come at once, each with path, value and limit', () => {
  const value = body({
    roundId: '',
    space: 'mars',
    couriers: [courier('k', { position: { x: 181, y: 52 }, capacity: 1.5 })],
    orders: [
      order('a', { readyAt: asOf - 60, placedAt: asOf }),
      order('a', { dropoff: { point: { x: 13 } } }),
    ],
    policy: { weights: { lateness: -1 } },
  });
  expect(faultsOf(value)).toEqual([
    'space: "mars" | one of wgs84, planar',
    'policy.weights.lateness: -1 | a whole number between 0 and 1000000',
    'roundId: "" | at least 1 byte',
    'couriers[0].position.x: 181 | a number between -180 and 180',
    'couriers[0].capacity: 1.5 | a whole number between 0 and 1000000',
    'orders[0].readyAt: 1799999940 | not before placedAt (1800000000)',
    'orders[1].dropoff.point.y: missing | a number between -85 and 85',
    'orders[1].orderId: "a" | unique; it is also orders[0].orderId',
  ]);
});

test('a hundred faults are listed and the others counted', () => {
  const orders = Array.from({ length: 150 }, (_, i) => order(`o${i}`, { size: -1 }));
  const result = validateRound(body({ orders }), now);
  expect(result).toMatchObject({ kind: 'invalid', count: 150, tooLarge: false });
  expect(result.kind === 'invalid' && result.faults).toHaveLength(100);
});

describe('unknown fields', () => {
  test.each([
    [body({ oders: [] }), 'oders: an array of 0 | no such field; did you mean "orders"?'],
    [body({ dead_line: 5 }), 'dead_line: 5 | no such field; did you mean "deadline"?'],
    [
      body({ orders: [order('a', { readyat: 5 })] }),
      'orders[0].readyat: 5 | no such field; did you mean "readyAt"?',
    ],
    [
      body({ policy: { bundles: { maxOrder: 3 } } }),
      'policy.bundles.maxOrder: 3 | no such field; did you mean "maxOrders"?',
    ],
    [
      body({ policy: { travel: { metersPerHour: {} } } }),
      'policy.travel.metersPerHour: an object | no such field; did you mean "metresPerHour"?',
    ],
  ])('are named with the nearest valid one (%#)', (value, fault) => expect(onlyFault(value)).toBe(fault));

  test('nothing like any valid name: they are listed', () => {
    expect(onlyFault(body({ policy: { weights: { zzzzzz: 1 } } }))).toBe(
      'policy.weights.zzzzzz: 1 | no such field; the fields are lateness, duration, freshness',
    );
  });

  test('__proto__ as a key is an unknown field and changes nothing', () => {
    const hostile = JSON.parse(
      `{"__proto__": {"couriers": 5}, ${JSON.stringify(body()).slice(1)}`,
    ) as unknown;
    expect(onlyFault(hostile)).toMatch(/^__proto__: an object \| no such field/);
    expect(({} as Json)['couriers']).toBeUndefined();
    const nested = JSON.parse(
      '{"roundId":"1","deadline":1800000002000,"policy":{"constructor":1,"__proto__":2}}',
    );
    expect(pathsOf(nested)).toEqual(['policy.constructor', 'policy.__proto__']);
  });
});

describe('ids', () => {
  test('64 bytes pass, 65 do not, and bytes are counted, not characters', () => {
    expect(faultsOf(body({ roundId: 'x'.repeat(64) }))).toEqual([]);
    expect(onlyFault(body({ roundId: 'x'.repeat(65) }))).toMatch(/at most 64 bytes of UTF-8, it has 65$/);
    expect(faultsOf(body({ zoneId: 'ü'.repeat(32) }))).toEqual([]); // 64 bytes
    expect(onlyFault(body({ zoneId: 'ü'.repeat(33) }))).toMatch(/it has 66$/);
  });
  test.each([
    ['a number', 7],
    ['empty', ''],
    ['with the separator of our keys', 'a\u001fb'],
    ['with half a surrogate pair', 'a\ud800'],
  ])('%s is a fault', (_, runId) => expect(pathsOf(body({ runId }))).toEqual(['runId']));

  test.each(['__proto__', 'constructor', 'toString'])('%s is an id like any other', (id) => {
    const value = body({
      runId: id,
      orders: [order(id)],
      couriers: [courier(id, { held: [{ orderId: id }] })],
    });
    expect(roundOf(value).orders[0]!.orderId).toBe(id);
    expect(pathsOf(body({ couriers: [courier('k', { held: [{ orderId: id }] })] }))).toEqual([
      'couriers[0].held[0].orderId',
    ]);
  });
  test.each([
    ['', 'at least 1 byte'],
    ['a\u001fb', 'no control characters'],
    ['x'.repeat(65), 'at most 64 bytes of UTF-8, it has 65'],
    ['a\ud800', 'well-formed Unicode'],
  ])('the tenant that the request names is checked: %j', (tenant, limit) => {
    const fault = { path: 'tenantId', limit: `as the tenant of the request: ${limit}` };
    const result = validateRound(body(), now, defaultRoundLimits, tenant);
    expect(result).toMatchObject({ kind: 'invalid', count: 1, faults: [fault] });
  });
  test('duplicates of orders, couriers, cancelled and held ones', () => {
    expect(pathsOf(body({ orders: [order('a'), order('b'), order('a')] }))).toEqual(['orders[2].orderId']);
    expect(pathsOf(body({ couriers: [courier('k'), courier('k')] }))).toEqual(['couriers[1].courierId']);
    expect(pathsOf(body({ cancelledOrderIds: ['x', 'x'] }))).toEqual(['cancelledOrderIds[1]']);
  });
});

describe('numbers', () => {
  test.each([NaN, Infinity, -Infinity, 1e300, '13', null, undefined, {}])('x = %p is no longitude', (x) => {
    expect(pathsOf(body({ couriers: [courier('k', { position: { x, y: 52 } })] }))).toEqual([
      'couriers[0].position.x',
    ]);
  });
  test('latitude ends at 85, planar metres at 20,000 km', () => {
    expect(pathsOf(body({ couriers: [courier('k', { position: { x: 13, y: 85.1 } })] }))).toEqual([
      'couriers[0].position.y',
    ]);
    const planar = body({
      space: 'planar',
      orders: [],
      couriers: [courier('k', { position: { x: 2e7, y: -2e7 } })],
    });
    expect(faultsOf(planar)).toEqual([]);
  });
  test('a point far off the others is named: swapped coordinates, zeros for unknown', () => {
    const value = body({
      orders: [order('a'), order('b', { dropoff: { point: { x: 0, y: 0 } } }), order('c')],
    });
    expect(onlyFault(value)).toBe(
      'orders[1].dropoff.point: "0, 0" | within 1000000 m of the round\'s middle',
    );
  });
  test.each(['9223372036854775807', '-9223372036854775808', '0', 5, -5])(
    'sequence %p is exact',
    (sequence) => {
      expect(roundOf(body({ sequence })).sequence).toBe(BigInt(sequence));
    },
  );
  test.each([
    ['2^63', '9223372036854775808'],
    ['below −2^63', '-9223372036854775809'],
    ['a number beyond 2^53, no longer exact', 2 ** 63],
    ['a fraction', 1.5],
    ['a word', 'seven'],
    ['hexadecimal', '0x10'],
  ])('sequence: %s is a fault', (_, sequence) => expect(pathsOf(body({ sequence }))).toEqual(['sequence']));
});

describe('times', () => {
  test('a deadline that has passed, is a year ahead, or is missing', () => {
    const late = validateRound(body({ deadline: now }), now);
    expect(late).toMatchObject({ kind: 'expired', faults: [{ path: 'deadline', value: String(now) }] });
    expect(onlyFault(body({ deadline: now + 365 * 86_400_000 }))).toMatch(
      /^deadline: .* at most 3600000 ms after now/,
    );
    expect(pathsOf(body({ deadline: undefined }))).toEqual(['deadline']);
    expect(faultsOf(body({ deadline: now + 3_600_000 }))).toEqual([]);
  });
  test.each([
    [50, 49, '50 ms'],
    [50, 50, null],
    [0, 0, '1 ms'],
    [0, 1, null],
  ])('with a lead of %i ms a deadline %i ms ahead', (minLeadMs, ahead, limit) => {
    const limits = { ...defaultRoundLimits, minLeadMs };
    const near = (now + ahead) as UnixMs;
    const result = validateRound(body({ deadline: near }), now, limits);
    if (limit === null) return expect(result.kind).toBe('valid');
    const fault = { path: 'deadline', limit: `at least ${limit} after now (${now})` };
    expect(result).toMatchObject({ kind: 'expired', faults: [fault] });
    const error = { code: 'ROUND_INVALID', faults: [expect.objectContaining(fault)] };
    expect(() => requireLead({ deadline: near }, now, limits)).toThrow(expect.objectContaining(error));
  });
  test('a past deadline is reported beside other faults', () => {
    expect(pathsOf(body({ deadline: now - 1, zoneId: 5 }))).toEqual(['zoneId', 'deadline']);
  });
  test.each([
    [{ placedAt: asOf + 1, readyAt: asOf + 5 }, 'orders[0].placedAt'],
    [{ placedAt: asOf, readyAt: asOf - 1 }, 'orders[0].readyAt'],
    [{ placedAt: asOf - 10, promisedAt: asOf - 11 }, 'orders[0].promisedAt'],
    [{ latestDropoffAt: asOf + 99, readyAt: asOf + 100 }, 'orders[0].latestDropoffAt'],
    [{ readyAt: asOf + 2 ** 31 }, 'orders[0].readyAt'],
    [{ latestDropoffAt: asOf + 2 ** 31 }, 'orders[0].latestDropoffAt'],
    [{ readyAt: asOf + 0.5 }, 'orders[0].readyAt'],
  ])('%p runs backwards or out of range', (changes, path) => {
    expect(pathsOf(body({ orders: [order('a', changes)] }))).toEqual([path]);
  });
  test('an asOf with a fault does not make every time one', () => {
    const orders = [order('a', { placedAt: asOf, readyAt: asOf, promisedAt: asOf + 9 })];
    expect(pathsOf(body({ asOf: 'noon', orders }))).toEqual(['asOf']);
  });
  test('strings of digits pass as times, as proto3 writes 64-bit integers', () => {
    expect(roundOf(body({ asOf: String(asOf), deadline: String(deadline) }))).toMatchObject({
      asOf,
      deadline,
    });
  });
});

describe('counts', () => {
  const limits = { ...defaultRoundLimits, maxCouriers: 2, maxOrders: 3 };
  test('more than the configured maximum is one fault, not a fault an element', () => {
    const result = validateRound(body({ orders: Array.from({ length: 4 }, () => ({})) }), now, limits);
    expect(result).toMatchObject({
      kind: 'invalid',
      tooLarge: true,
      count: 1,
      faults: [{ path: 'orders', value: 'an array of 4', limit: 'at most 3 elements' }],
    });
  });
  test('configuration cannot lift the limit of 16-bit indices', () => {
    const wide = { ...limits, maxOrders: 1_000_000 };
    const orders = Array.from({ length: 65_535 }, () => 0);
    expect(faultsOf(body({ orders }), wide)).toEqual(['orders: an array of 65535 | at most 65534 elements']);
  });
});

describe('held orders', () => {
  const held = (...ids: string[]) => ids.map((orderId) => ({ orderId, onBoard: true }));
  const value = (couriers: Json[], changes: Json = {}) =>
    body({ couriers, orders: [order('a', { size: 2 }), order('b', { size: 2 })], ...changes });

  test('may be on board up to the capacity', () => {
    expect(faultsOf(value([courier('k', { capacity: 4, held: held('a', 'b') })]))).toEqual([]);
    expect(onlyFault(value([courier('k', { capacity: 3, held: held('a', 'b') })]))).toBe(
      'couriers[0].held: 4 | at most the capacity (3) on board',
    );
  });
  test('exist, are held once and are not cancelled', () => {
    expect(pathsOf(value([courier('k', { held: held('z') })]))).toEqual(['couriers[0].held[0].orderId']);
    expect(onlyFault(value([courier('k', { held: held('a') }), courier('l', { held: held('a') })]))).toBe(
      'couriers[1].held[0].orderId: "a" | held once; it is also couriers[0].held[0].orderId',
    );
    expect(pathsOf(value([courier('k', { held: held('a') })], { cancelledOrderIds: ['a'] }))).toEqual([
      'couriers[0].held[0].orderId',
    ]);
  });
  test('at most eight of one courier', () => {
    const nine = Array.from({ length: 9 }, (_, i) => ({ orderId: `o${i}` }));
    expect(pathsOf(value([courier('k', { held: nine })]))).toEqual(['couriers[0].held']);
  });
  test('need a vehicle that moves', () => {
    const policy = { travel: { metresPerHour: { bike: 0 } } };
    expect(pathsOf(value([courier('k', { held: held('a') })], { policy }))).toEqual(['couriers[0].vehicle']);
    expect(faultsOf(value([courier('k')], { policy }))).toEqual([]);
  });
});

describe('policy', () => {
  test.each([
    [{ weights: { lateness: 1_000_001 } }, 'policy.weights.lateness'],
    [{ weights: { duration: 0.5 } }, 'policy.weights.duration'],
    [{ travel: { metresPerHour: { car: 499 } } }, 'policy.travel.metresPerHour.car'],
    [{ travel: { quantumSeconds: 0 } }, 'policy.travel.quantumSeconds'],
    [{ travel: { kind: 'matrix', contentHash: 'abc' } }, 'policy.travel.contentHash'],
    [{ couriersPerBundle: 0 }, 'policy.couriersPerBundle'],
    [{ bundles: { maxOrders: 7 } }, 'policy.bundles.maxOrders'],
    [{ unassignedPenalty: { base: 1e13 } }, 'policy.unassignedPenalty.base'],
    [{ quantile: 'p99' }, 'policy.quantile'],
    [{ modelLabel: 'beta' }, 'policy.modelLabel'],
    [{ commitHorizonSeconds: -1 }, 'policy.commitHorizonSeconds'],
    [{ context: { dayOfWeek: 7 } }, 'policy.context.dayOfWeek'],
    [{ interleave: 'yes' }, 'policy.interleave'],
  ])('%j is out of bounds', (policy, path) => {
    const travelZones = {
      couriers: [courier('k', { travelZone: 0 })],
      orders: [],
    };
    expect(pathsOf(body({ policy, ...travelZones }))).toEqual([path]);
  });

  test('travel by matrix needs a zone everywhere, inside the matrix', () => {
    const policy = { travel: { kind: 'matrix', contentHash: 'a'.repeat(64) } };
    expect(pathsOf(body({ policy }))).toEqual([
      'couriers[0].travelZone',
      'orders[0].pickup.travelZone',
      'orders[0].dropoff.travelZone',
    ]);
    const seconds = new Int32Array(16);
    const secondsByVehicle = [undefined, seconds, seconds, seconds];
    const matrix = { contentHash: 'a'.repeat(64), zones: 4, secondsByVehicle };
    const limits = { ...defaultRoundLimits, matrixOf: () => matrix };
    const couriers = [courier('k', { travelZone: 3 }), courier('l', { travelZone: 4 })];
    expect(faultsOf(body({ policy, couriers, orders: [] }), limits)).toEqual([
      'couriers[1].travelZone: 4 | below 4',
    ]);
    const walker = courier('w', { travelZone: 0, vehicle: 'walk', held: [{ orderId: 'a' }] });
    const stop = { point: { x: 13.4, y: 52.5 }, travelZone: 0 };
    const orders = [order('a', { pickup: stop, dropoff: stop })];
    expect(faultsOf(body({ policy, couriers: [walker], orders }), limits)).toEqual([
      'couriers[0].vehicle: "walk" | a vehicle that the matrix has, since it holds orders',
    ]);
  });
});

test.each([[null], [5], ['text'], [[]]])('a body of %j is a fault, not a crash', (value) => {
  expect(pathsOf(value)[0]).toBe('(body)');
});

test('a model label that the repository lacks is named', () => {
  const limits = { ...defaultRoundLimits, modelLabels: ['stable'] as const };
  expect(faultsOf(body({ policy: { modelLabel: 'canary' } }), limits)).toEqual([
    'policy.modelLabel: "canary" | a label of the model repository: stable',
  ]);
});

test('the tenant of the request and of the body must agree', () => {
  expect(validateRound(body({ tenantId: 'a' }), now, undefined, 'a').kind).toBe('valid');
  expect(validateRound(body({ tenantId: 'a' }), now, undefined, 'b')).toMatchObject({
    faults: [{ path: 'tenantId', limit: 'the tenant of the request (b)' }],
  });
});
