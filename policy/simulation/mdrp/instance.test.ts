import { RoundhouseError, type Fault } from '#schemas/errors';
import { readFileSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { mdrpColumns, mdrpFiles, parseInstance, type MdrpFile } from './instance';
import { solutionFileNames, solutionFiles } from './solution-files';
import { mdrpFiles as good } from '../../../test/support/mdrp-files';

function faultsOf(changes: Partial<Record<MdrpFile, string>>): readonly Fault[] {
  try {
    parseInstance({ ...good, ...changes });
  } catch (error) {
    if (error instanceof RoundhouseError && error.code === 'MDRP_INVALID') return error.faults;
    throw error;
  }
  return [];
}
const ordersWith = (...rows: string[]) => `${good['orders.txt'].split('\n')[0]}\n${rows.join('\n')}\n`;

test('reads a day, with Windows line ends and blank lines too', () => {
  const windows = Object.fromEntries(
    Object.entries(good).map(([file, text]) => [file, `${text.replaceAll('\n', '\r\n')}\r\n`]),
  ) as Record<MdrpFile, string>;
  for (const texts of [good, windows]) {
    const instance = parseInstance(texts);
    expect(instance.orders).toEqual([
      { id: 'o1', x: 100, y: 0, placedAt: 10, restaurant: 'r1', readyAt: 25 },
    ]);
    expect(instance.restaurants.get('r1')).toEqual({ id: 'r1', x: 0, y: 0 });
    expect(instance.couriers).toEqual([{ id: 'c1', x: 5, y: 5, onAt: 0, offAt: 120 }]);
    expect(instance.parameters).toMatchObject({ metresPerMinute: 320, maximumClickToDoor: 90 });
  }
});

test.each([
  ['a missing column', { 'orders.txt': 'order\tx\ty\n' }, 'orders.txt:1', 'placement_time'],
  ['an empty file', { 'couriers.txt': '' }, 'couriers.txt:1', 'a column "courier"'],
  ['too few cells', { 'orders.txt': ordersWith('o1\t1\t2') }, 'orders.txt:2', '6 cells'],
  ['a fraction', { 'orders.txt': ordersWith('o1\t1.5\t0\t1\tr1\t2') }, 'orders.txt:2', 'whole number'],
  ['not a number', { 'orders.txt': ordersWith('o1\tNaN\t0\t1\tr1\t2') }, 'orders.txt:2', 'whole number'],
  ['a far place', { 'orders.txt': ordersWith('o1\t99999999\t0\t1\tr1\t2') }, 'orders.txt:2', 'whole number'],
  ['an empty id', { 'orders.txt': ordersWith('\t1\t0\t1\tr1\t2') }, 'orders.txt:2', 'without blanks'],
  ['a blank id', { 'orders.txt': ordersWith('o 1\t1\t0\t1\tr1\t2') }, 'orders.txt:2', 'without blanks'],
  ['65 bytes', { 'orders.txt': ordersWith(`${'o'.repeat(65)}\t1\t0\t1\tr1\t2`) }, 'orders.txt:2', '64 bytes'],
  [
    'a lost restaurant',
    { 'orders.txt': ordersWith('o1\t1\t0\t1\tr9\t2') },
    'orders.txt:2',
    'restaurants.txt',
  ],
  [
    'ready before placed',
    { 'orders.txt': ordersWith('o1\t1\t0\t9\tr1\t8') },
    'orders.txt:2',
    'placement_time (9)',
  ],
  [
    'an id twice',
    { 'orders.txt': ordersWith('o1\t1\t0\t1\tr1\t2', 'o1\t1\t0\t1\tr1\t2') },
    'orders.txt:3',
    'orders.txt:2',
  ],
  [
    'an id in two files',
    { 'restaurants.txt': 'restaurant\tx\ty\nr1\t0\t0\no1\t0\t0\n' },
    'restaurants.txt:3',
    'orders',
  ],
  ['id 0', { 'orders.txt': ordersWith('0\t1\t0\t1\tr1\t2') }, 'orders.txt:2', 'stands for the start'],
  [
    'a shift that ends first',
    { 'couriers.txt': 'courier\tx\ty\ton_time\toff_time\nc1\t0\t0\t9\t8\n' },
    'couriers.txt:2',
    'on_time (9)',
  ],
  ['no orders', { 'orders.txt': ordersWith() }, 'orders.txt:1', 'at least one order'],
  [
    'no parameters',
    { 'instance_parameters.txt': `${good['instance_parameters.txt'].split('\n')[0]}\n` },
    'instance_parameters.txt:2',
    'one row',
  ],
  [
    'standstill',
    { 'instance_parameters.txt': good['instance_parameters.txt'].replace('320', '0') },
    'instance_parameters.txt:2',
    'from 1 to',
  ],
  [
    'an odd service time',
    { 'instance_parameters.txt': good['instance_parameters.txt'].replace('320\t4', '320\t3') },
    'instance_parameters.txt:2',
    'even number',
  ],
])('%s is named by file and line', (_name, changes, path, limit) => {
  const faults = faultsOf(changes);
  expect(faults.map((fault) => fault.path)).toContain(path);
  expect(faults.find((fault) => fault.path === path)!.limit).toContain(limit);
});

test('all faults come at once, ten in the message', () => {
  const rows = Array.from({ length: 12 }, (_, i) => `o${i}\t1\t0\t1\tnowhere\t2`);
  expect(faultsOf({ 'orders.txt': ordersWith(...rows) })).toHaveLength(12);
  expect(() => parseInstance({ ...good, 'orders.txt': ordersWith(...rows) })).toThrow('12 faults in all');
});

test('an id may be __proto__', () => {
  const instance = parseInstance({ ...good, 'orders.txt': ordersWith('__proto__\t1\t0\t1\tr1\t2') });
  expect(instance.orders[0]!.id).toBe('__proto__');
});

describe('docs/mdrp.md', () => {
  const page = readFileSync(projectPath('docs', 'mdrp.md'), 'utf8');

  test('names every column of every file, in a table that has no others', () => {
    const found = new Map<string, string[]>(mdrpFiles.map((file) => [file, []]));
    let file = '';
    const table = page.slice(page.indexOf('## The files'), page.indexOf('## How a day'));
    for (const [, first = '', names = ''] of table.matchAll(/^\| (.{25}) \| (`[^|]*) \|/gm)) {
      file = /`(.*)`/.exec(first)?.[1] ?? file;
      found.get(file)!.push(...[...names.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
    }
    for (const name of mdrpFiles)
      expect(found.get(name)).toEqual(mdrpColumns[name].map((column) => column.name));
  });

  test('names the files of a solution and their columns', () => {
    const nothing = { bundles: [], deliveries: [], legs: [] } as never;
    const files = solutionFiles(parseInstance(good), nothing);
    const words = page.replaceAll('\n', ' ');
    for (const [kind, name] of Object.entries(solutionFileNames)) {
      const [header] = files[kind as keyof typeof files].split('\n');
      expect(words).toContain(`\`${name}\` (\`${header}\``);
    }
  });
});
