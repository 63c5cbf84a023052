import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { importFolder } from '../../../test/support/import-folder';

const { folder, lines, out, run, faultsOf, imported } = importFolder();

describe("Meituan's files", () => {
  const noon = 1_665_979_200; // 17 October 2022, 12:00 in China: 43,200 s of the day, a Monday
  const files = () => join(folder(), 'meituan');
  beforeEach(() => cpSync(projectPath('test', 'fixtures', 'meituan'), files(), { recursive: true }));
  const change = (file: string, from: string, to: string) =>
    writeFileSync(join(files(), file), readFileSync(join(files(), file), 'utf8').replace(from, to));

  test('their dispatch moments become rounds, with nothing that was not known then', async () => {
    expect(await run('meituan', files())).toBe(0);
    const [first, second] = imported();
    expect(first).toMatchObject({
      roundId: `20221017-${noon}`,
      asOf: noon,
      tenantId: 'meituan',
      space: 'wgs84',
    });
    expect(first!.policy.context).toMatchObject({ secondsOfDay: 43_200, dayOfWeek: 0 });
    // Rider 14 has no position; 5 was delivered already; 4 is named by its waybill 105, 999 by nobody.
    expect(first!.couriers.map(({ courierId, held }) => [courierId, held])).toEqual([
      ['11', []],
      ['12', [{ orderId: '3', onBoard: true }]],
      ['13', [{ orderId: '4', onBoard: false }]],
    ]);
    expect(first!.couriers[0]!.position).toEqual({ x: 174.529, y: 45.899 });
    expect(first!.orders.map(({ orderId }) => orderId)).toEqual(['1', '2', '3', '4']);
    expect(first!.orders[0]).toMatchObject({
      pickup: { placeId: 'poi-7', point: { x: 174.53, y: 45.9 } },
      placedAt: noon - 300,
      readyAt: noon + 300,
      promisedAt: noon + 2_400,
      known: { ready: false },
    });
    expect(second).toMatchObject({ asOf: noon + 86_400, orders: [{ orderId: '6' }] });
    expect(lines).toEqual([
      'left out: 1 ordersWithoutWaybill',
      'left out: 1 carriedUnknown',
      'left out: 1 ridersWithoutPosition',
      `${out()}: 2 rounds`,
    ]);
  });

  test('a date and an area', async () => {
    await run('meituan', files(), '--date', '20221017', '--area', '4');
    // No open order of area 4 on that day; what couriers carry stays theirs.
    expect(imported().map(({ orders }) => orders.map(({ orderId }) => orderId))).toEqual([['3', '4']]);
  });

  test('a date of an area as a day in closed loop', async () => {
    await run('meituan', files(), '--day', '--date', '20221017', '--area', '3', '--f', '10');
    const rounds = imported();
    expect(rounds.length).toBeGreaterThan(3);
    const all = new Set(rounds.flatMap(({ orders }) => orders.map(({ orderId }) => orderId as string)));
    expect([...all].sort()).toEqual(['1', '2', '3', '4', '5']);
    // Rider 12 is on from its first wave: order 5 was pushed 100 s after that.
    expect(rounds[0]!.couriers.map(({ courierId }) => courierId as string)).toContain('12');
    expect((rounds[1]!.asOf - rounds[0]!.asOf) % 600).toBe(0); // moments without orders are no rounds
  });

  test('what is wrong is named with file, line and column', async () => {
    change('dispatch_rider_meituan.csv', '"[3, 5]"', '"[3; 5]"');
    change('dispatch_rider_meituan.csv', '45899000', 'north');
    expect(await faultsOf('meituan', files())).toEqual([
      'dispatch_rider_meituan.csv:2 rider_lat: north | a whole number from -85000000 to 85000000',
      'dispatch_rider_meituan.csv:3 courier_waybills: [3; 5] | a list of ids',
    ]);
    change('dispatch_rider_meituan.csv', 'courier_waybills', 'waybills');
    expect(await faultsOf('meituan', files())).toContain(
      'dispatch_rider_meituan.csv:1: no column courier_waybills | the columns as published',
    );
    rmSync(join(files(), 'dispatch_rider_meituan.csv'));
    expect((await faultsOf('meituan', files()))[0]).toContain('ENOENT');
  });

  test('a day without orders', async () => {
    expect(await faultsOf('meituan', files(), '--day', '--date', '20221019', '--area', '3')).toEqual([
      expect.stringContaining('no order of area 3 on 20221019'),
    ]);
  });
});
