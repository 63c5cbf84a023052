import {
  asOf,
  body,
  courier,
  deadline,
  faultsOf,
  now,
  onlyFault,
  order,
  pathsOf,
  roundOf,
  type Json,
} from '../../test/support/round-body';
import { defaultRoundLimits, validateRound } from './index';

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

test('a time in milliseconds is told that seconds are wanted', () => {
  // 2^30 s on either side of asOf = 1,800,000,000.
  const limit = 'a whole number of seconds between 726258176 and 2873741824; is it in milliseconds?';
  expect(faultsOf(body({ orders: [order('a', { readyAt: 1_800_000_000_000 })] }))).toEqual([
    `orders[0].readyAt: 1800000000000 | ${limit}`,
  ]);
});

test('an asOf in milliseconds is told as such, and so is every time beside it', () => {
  // Seconds end at 10^11, the year 5138; 10^11 ms were in 1973. Nothing is compared with an asOf that is none.
  const limit = 'a whole number of seconds between -140737488355328 and 99999999999';
  const inMs = {
    readyAt: 1_800_000_060_000,
    promisedAt: 1_800_000_900_000,
    latestDropoffAt: '1800000900000',
  };
  expect(faultsOf(body({ asOf: 1_800_000_000_000, orders: [order('a', inMs)], couriers: [] }))).toEqual([
    `asOf: 1800000000000 | ${limit}; is it in milliseconds?`,
    ...['readyAt: 1800000060000', 'promisedAt: 1800000900000', 'latestDropoffAt: "1800000900000"'].map(
      (fault) => `orders[0].${fault} | ${limit}; is it in milliseconds?`,
    ),
  ]);
  // A thousand times that is no time in milliseconds either.
  expect(onlyFault(body({ asOf: 1e14, orders: [], couriers: [] }))).toBe(`asOf: 100000000000000 | ${limit}`);
});

test.each([0, 36_000, 86_400 * 400, -3_600, 99_999_999_999])(
  'asOf %d is a clock of its own: simulated and replayed days begin anywhere',
  (asOf) =>
    expect(roundOf(body({ asOf, orders: [order('a', { readyAt: asOf + 60 })], couriers: [] })).asOf).toBe(
      asOf,
    ),
);

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
