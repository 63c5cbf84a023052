import type { UnixMs } from '#schemas/brands';
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
} from '../../test/support/round-body';
import { defaultRoundLimits, validateRound } from './index';

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
  test('where it would lie with the others, the other way round is asked for', () => {
    const swapped = { dropoff: { point: { x: 52.51, y: 13.38 } } };
    expect(onlyFault(body({ orders: [order('a'), order('b', swapped), order('c')] }))).toBe(
      'orders[1].dropoff.point: "52.51, 13.38" | ' +
        "within 1000000 m of the round's middle; x is the longitude: swapped?",
    );
    // Metres have no longitude; a latitude of 120 degrees is none.
    const point = (x: number, y: number) => ({ position: { x, y } });
    const planar = { space: 'planar', orders: [] };
    const far = [courier('k', point(0, 5e6)), courier('l', point(0, 5e6)), courier('m', point(5e6, 0))];
    expect(onlyFault(body({ ...planar, couriers: far }))).not.toContain('swapped');
    const east = [courier('k', point(13, 52)), courier('l', point(13, 52)), courier('m', point(120, 13))];
    expect(onlyFault(body({ couriers: east, orders: [] }))).not.toContain('swapped');
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
  });
  test('a deadline in seconds is told so', () => {
    const result = validateRound(body({ deadline: Math.floor(now / 1_000) + 5 }), now);
    const limit = `at least 150 ms after now (${now}); a deadline is in milliseconds`;
    expect(result).toMatchObject({ kind: 'expired', faults: [{ path: 'deadline', limit }] });
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
