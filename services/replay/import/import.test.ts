import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoundhouseError } from '#schemas/errors';
import { openRecording } from '../recording/recording-reader';
import { importCommand } from './import-command';
import { parseImport } from './options';
import { importFolder } from '../../../test/support/import-folder';

const { folder, out, tell, run, faultsOf, imported } = importFolder();
const put = (name: string, text: string) => writeFileSync(join(folder(), name), text);

describe('rounds as JSON lines', () => {
  const round = (changes: object = {}) =>
    JSON.stringify({
      roundId: '1',
      deadline: 1_700_000_010_000,
      asOf: 1_700_000_000,
      couriers: [{ courierId: 'k', position: { x: 13.4, y: 52.5 } }],
      orders: [
        { orderId: 'a', pickup: { point: { x: 13.4, y: 52.5 } }, dropoff: { point: { x: 13.41, y: 52.51 } } },
      ],
      ...changes,
    });
  const file = () => join(folder(), 'rounds.jsonl');

  test('are taken with their defaults, and arrive before their deadlines', async () => {
    put('rounds.jsonl', `${round()}\r\n\n${round({ roundId: '2', sequence: '9007199254740993' })}`);
    expect(await run('rounds', file())).toBe(0);
    const [first, second] = [...openRecording(out()).rounds()];
    expect(first).toMatchObject({ appendedAt: 1_700_000_000_000, outcomes: [], decision: null, faults: [] });
    expect(first!.manifest).toMatchObject({ models: [], shardCount: 0 });
    expect(first!.manifest.round).toMatchObject({ runId: 'live', zoneId: 'default', orders: [{ size: 1 }] });
    expect(second!.manifest.round.sequence).toBe(9_007_199_254_740_993n);
    expect(openRecording(out()).manifest.origin).toMatchObject({
      kind: 'rounds',
      files: [{ name: 'rounds.jsonl', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
    });
  });

  test.each([
    ['{', /^rounds.jsonl:2: .*JSON/],
    ['[]', /^rounds.jsonl:2 .*an array/],
    [round({ roundId: '2', oders: [] }), /^rounds.jsonl:2 oders: .*did you mean "orders"/],
    [
      round({ roundId: '2', couriers: [{ courierId: 'k', position: { x: 52.5, y: 13.4 } }] }),
      /^rounds.jsonl:2 couriers\[0\].position of courier k: .*swapped\?$/,
    ],
    [round({ roundId: '2', deadline: null }), /^rounds.jsonl:2 deadline: missing/],
    [round(), /^rounds.jsonl:2: round 1 again/],
  ])('%s is refused with its line, and nothing is left behind', async (line, fault) => {
    put('rounds.jsonl', `${round()}\n${line}`);
    expect((await faultsOf('rounds', file()))[0]).toMatch(fault);
    expect(existsSync(join(out(), 'recording.json'))).toBe(false);
    put('rounds.jsonl', round());
    expect(await run('rounds', file())).toBe(0);
  });

  test('all bad lines are told, and nothing is left, no folder either', async () => {
    put(
      'rounds.jsonl',
      [round(), '{', round({ roundId: '2', oders: [] }), round({ roundId: '3' }), round()].join('\n'),
    );
    const faults = await faultsOf('rounds', file());
    expect(faults).toEqual(
      ['2', '3', '5'].map((line) => expect.stringMatching(`^rounds.jsonl:${line}\\b`) as string),
    );
    expect(existsSync(out())).toBe(false);
    // 150 bad lines: 100 are kept, ten are shown, all are counted.
    put('rounds.jsonl', '{\n'.repeat(150));
    const error: unknown = await run('rounds', file()).catch((caught: unknown) => caught);
    expect((error as Error).message).toMatch(/… 150 faults in all$/);
    expect((error as RoundhouseError).faults).toHaveLength(100);
  });

  test('no file, no text, no rounds', async () => {
    expect(await faultsOf('rounds', join(folder(), 'none'))).toEqual([
      expect.stringMatching(/none: ENOENT.* \| a readable file/),
    ]);
    expect(await faultsOf('rounds', folder())).toEqual([expect.stringContaining('no regular file')]);
    writeFileSync(file(), Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await faultsOf('rounds', file())).toEqual(['rounds.jsonl:1: bytes that are no text | UTF-8']);
    put('rounds.jsonl', '\n');
    expect(await faultsOf('rounds', file())).toEqual([`${file()}: no round | at least one`]);
  });
});

describe('tables of our own', () => {
  const orders = [
    'orderId,placedAt,readyAt,pickupPlaceId,pickupX,pickupY,dropoffX,dropoffY,dropoffServiceSeconds',
    'a,36000,36600,R,0,0,900,0,60',
    'b,36030,36500,R,0,0,900,300,60',
    '"c, the third",36900,37200,S,2000,0,2500,0,60',
  ];
  const couriers = [
    'courierId,x,y,onAt,offAt,vehicle',
    'k,100,0,36000,50000,bike',
    'l,1900,0,36000,50000,bike',
  ];
  const settings = { space: 'planar', roundSeconds: 300, policy: { commitHorizonSeconds: 600 } };
  beforeEach(() => {
    put('orders.csv', `\ufeff${orders.join('\r\n')}\r\n`);
    put('couriers.csv', couriers.join('\n'));
    put('settings.json', JSON.stringify(settings));
  });

  test('become the rounds of a day, in which couriers hold what they were given', async () => {
    expect(await run('tables', folder())).toBe(0);
    const rounds = imported();
    expect(rounds[0]).toMatchObject({
      asOf: 36_000,
      space: 'planar',
      tenantId: 'imported',
      deadline: 36_010_000,
    });
    expect(rounds[0]!.orders.map(({ orderId }) => orderId)).toEqual(['a']);
    // b was placed at 36,030, a round of 300 s before the second one.
    expect(rounds[1]!.orders.map(({ orderId }) => orderId as string)).toContain('b');
    const held = rounds.flatMap((round) => round.couriers.flatMap((courier) => courier.held));
    expect(held.length).toBeGreaterThan(0);
    const all = new Set(rounds.flatMap((round) => round.orders.map(({ orderId }) => orderId as string)));
    expect([...all].sort()).toEqual(['a', 'b', 'c, the third']);
    expect(openRecording(out()).manifest.origin).toMatchObject({
      files: [{ name: 'orders.csv' }, { name: 'couriers.csv' }, { name: 'settings.json' }],
    });
  });

  test('are the same as JSON lines', async () => {
    await run('tables', folder());
    const before = imported();
    rmSync(out(), { recursive: true });
    rmSync(join(folder(), 'orders.csv'));
    const names = orders[0]!.split(',');
    const cells = [
      orders[1]!.split(','),
      orders[2]!.split(','),
      ['c, the third', ...orders[3]!.split(',').slice(2)],
    ];
    const json = cells.map((row) =>
      JSON.stringify(
        Object.fromEntries(
          names.map((name, i) => [name, i > 0 && name !== 'pickupPlaceId' ? Number(row[i]) : row[i]]),
        ),
      ),
    );
    put('orders.jsonl', json.join('\n'));
    await run('tables', folder());
    expect(imported()).toEqual(before);
  });

  test('faults are named with file, line and column, all at once', async () => {
    put(
      'orders.csv',
      [`${orders[0]},colour`, 'a,36000,35000,R,0,0,900,x,60,red', 'a,36000,,R,0,0,9,9,,', 'b,1'].join('\n'),
    );
    put('couriers.csv', [...couriers, 'k,1,1,9,8,boat'].join('\n'));
    put('settings.json', JSON.stringify({ space: 'polar', policy: { weights: { latenes: 1 } }, f: 5 }));
    const faults = await faultsOf('tables', folder());
    for (const expected of [
      'settings.json: a column f |',
      'settings.json policy.weights.latenes',
      'settings.json space: polar | one of wgs84, planar',
      'orders.csv:1: a column colour |',
      'orders.csv:2 readyAt: 35000 | whole seconds since 1970, or on a clock of your own, from 36000 to 4102444800',
      'orders.csv:2 dropoffY: x | a number',
      'orders.csv:4: 2 cells | 10 as in the header',
      'orders.csv: a twice | each id once',
      'couriers.csv:4 offAt: 8 | whole seconds since 1970, or on a clock of your own, from 9 to',
      'couriers.csv:4 vehicle: boat | one of walk, bike, scooter, car',
      'couriers.csv: k twice | each id once',
    ])
      expect(faults.join('\n')).toContain(expected);
  });

  test('files that are absent, there twice, empty or without an end', async () => {
    put('orders.jsonl', '');
    expect(await faultsOf('tables', folder())).toEqual([
      expect.stringContaining('orders: both | one of orders.csv'),
    ]);
    rmSync(join(folder(), 'orders.jsonl'));
    put('orders.csv', '');
    expect(await faultsOf('tables', folder())).toContainEqual(
      expect.stringContaining('orders.csv:1: nothing'),
    );
    put('orders.csv', `${orders[0]}\n"a,36000`);
    expect(await faultsOf('tables', folder())).toContainEqual(
      expect.stringContaining('a quote without an end'),
    );
    put('orders.csv', `${orders[0]},orderId\n`);
    expect(await faultsOf('tables', folder())).toContainEqual(expect.stringContaining('two columns orderId'));
    rmSync(join(folder(), 'couriers.csv'));
    expect(await faultsOf('tables', folder())).toEqual([expect.stringContaining('couriers: absent')]);
  });

  test('a mistyped time is no day of aeons', async () => {
    // 300 s a round: (300,036,000 - 36,000) / 300 is a million rounds, one second more is another.
    put('orders.csv', [...orders, 'd,300036001,300036001,R,0,0,900,0,60'].join('\n'));
    expect(await faultsOf('tables', folder())).toEqual([
      'orders.csv placedAt: 36000 to 300036001, 1000001 rounds of 300 s | at most 1000000 rounds',
    ]);
    // One that can't be read is that one fault, whatever stands in its place.
    put('orders.csv', [...orders, 'd,soon,1700000000,R,0,0,900,0,60'].join('\n'));
    expect(await faultsOf('tables', folder())).toEqual([expect.stringContaining('placedAt: soon')]);
  });

  test('points far from the others are found as ingest finds them', async () => {
    put('settings.json', JSON.stringify({ ...settings, space: 'wgs84' }));
    put('orders.csv', [orders[0]!, 'a,36000,36600,R,13.4,52.5,52.5,13.4,60'].join('\n'));
    put('couriers.csv', [couriers[0]!, 'k,13.4,52.5,36000,50000,bike'].join('\n'));
    expect((await faultsOf('tables', folder()))[0]).toBe(
      "orders.csv:2 dropoffX, dropoffY of order a: 52.5, 13.4 | within 1000000 m of the table's middle; " +
        'x is the longitude: swapped?',
    );
    // Zeros for unknown are no swap: found in the round, with the row; at 36,000 s a round of 300 s is the day's first.
    put('orders.csv', [orders[0]!, 'a,36000,36600,R,13.4,52.5,0,0,60'].join('\n'));
    expect(await faultsOf('tables', folder())).toEqual([
      expect.stringMatching(
        /^orders.csv:2, round \S+ orders\[0\].dropoff.point of order a: "0, 0" \| within/,
      ),
    ]);
  });

  test('a table that is not parted by commas is one fault', async () => {
    put('orders.csv', orders.map((line) => line.replaceAll(',', ';')).join('\n'));
    put('couriers.csv', couriers.map((line) => line.replaceAll(',', '\t')).join('\n'));
    expect(await faultsOf('tables', folder())).toEqual([
      'orders.csv:1: a header parted by semicolons | columns parted by commas',
      'couriers.csv:1: a header parted by tabs | columns parted by commas',
    ]);
  });

  test('a time that is a date or in milliseconds is told what it should be', async () => {
    const cells = (placedAt: string) => `a,${placedAt},,R,0,0,900,0,60`;
    put('orders.csv', [orders[0]!, cells('2026-11-30T10:00:00'), cells('1796064180328')].join('\n'));
    const limit = 'whole seconds since 1970, or on a clock of your own, from -4102444800 to 4102444800';
    expect(await faultsOf('tables', folder())).toEqual([
      `orders.csv:2 placedAt: 2026-11-30T10:00:00 | ${limit}`,
      `orders.csv:3 placedAt: 1796064180328 | ${limit}`,
      'orders.csv: a twice | each id once',
    ]);
  });
});

test('a folder() of the MDRP format', async () => {
  put(
    'orders.txt',
    'order\tx\ty\tplacement_time\trestaurant\tready_time\no1\t1000\t0\t10\tr1\t25\no2\t900\t0\t31\tr1\t40\n',
  );
  put('restaurants.txt', 'restaurant\tx\ty\nr1\t0\t0\n');
  put('couriers.txt', 'courier\tx\ty\ton_time\toff_time\nc1\t5\t5\t0\t240\n');
  put(
    'instance_parameters.txt',
    'meters_per_minute\tpickup service minutes\tdropoff service minutes\ttarget click-to-door\t' +
      'maximum click-to-door\tpay per order\tguaranteed pay per hour\n320\t4\t4\t40\t90\t10\t15\n',
  );
  expect(await run('mdrp', folder(), '--f', '10')).toBe(0);
  const rounds = imported();
  expect(rounds[0]).toMatchObject({
    asOf: 600,
    space: 'planar',
    tenantId: 'mdrp',
    orders: [{ orderId: 'o1' }],
  });
  expect(openRecording(out()).manifest.origin).toMatchObject({ kind: 'mdrp', files: { length: 4 } });
  rmSync(out(), { recursive: true });
  rmSync(join(folder(), 'couriers.txt'));
  await expect(run('mdrp', folder())).rejects.toMatchObject({ code: 'MDRP_INVALID' });
});

test.each([
  [['mdrp'], 'SOURCE is needed'],
  [['csv', 'x'], 'KIND is csv: one of mdrp, meituan, tables, rounds'],
  [['mdrp', 'x', '--f', '0'], '--f is 0'],
  [['mdrp', 'x', '--day'], 'are of meituan, not of mdrp'],
  [['meituan', 'x', '--date', '20221317'], '--date is 20221317'],
  [['meituan', 'x', '--day', '--date', '20221017'], '--day wants one --date and one --area'],
])('%j is refused', (argv, reason) => {
  expect(() => parseImport([...argv, '--out', 'o'])).toThrow(reason);
});

test('an --out with something in it is left alone', async () => {
  put('rounds.jsonl', '');
  await expect(
    importCommand(parseImport(['rounds', join(folder(), 'rounds.jsonl'), '--out', folder()]), {
      env: {},
      signal: new AbortController().signal,
      tell,
      tellError: tell,
    }),
  ).rejects.toThrow('has something in it');
});
