import { RoundhouseError, type Fault } from '#schemas/errors';
import { fault, parseTable, type Column, type Row } from './parse-table';

export const mdrpFiles = [
  'orders.txt',
  'restaurants.txt',
  'couriers.txt',
  'instance_parameters.txt',
] as const;
export type MdrpFile = (typeof mdrpFiles)[number];

/** Metres and minutes from the start of the day. */
export interface MdrpOrder {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly placedAt: number;
  readonly restaurant: string;
  readonly readyAt: number;
}
export interface MdrpRestaurant {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}
export interface MdrpCourier {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly onAt: number;
  readonly offAt: number;
}
export interface MdrpParameters {
  readonly metresPerMinute: number;
  readonly pickupServiceMinutes: number;
  readonly dropoffServiceMinutes: number;
  readonly targetClickToDoor: number;
  readonly maximumClickToDoor: number;
  readonly payPerOrder: number;
  readonly guaranteedPayPerHour: number;
}
export interface MdrpInstance {
  readonly orders: readonly MdrpOrder[];
  readonly restaurants: ReadonlyMap<string, MdrpRestaurant>;
  readonly couriers: readonly MdrpCourier[];
  readonly parameters: MdrpParameters;
}

const id = (name: string): Column => ({ name, kind: 'id' });
const metres = (name: string): Column => ({ name, kind: 'integer', min: -10_000_000, max: 10_000_000 });
const minutes = (name: string): Column => ({ name, kind: 'integer', min: -10_000, max: 100_000 });
const setting = (name: string, min: number, max = 100_000): Column => ({ name, kind: 'integer', min, max });

/** docs/mdrp.md says what they mean. */
export const mdrpColumns: Readonly<Record<MdrpFile, readonly Column[]>> = {
  'orders.txt': [
    id('order'),
    metres('x'),
    metres('y'),
    minutes('placement_time'),
    id('restaurant'),
    minutes('ready_time'),
  ],
  'restaurants.txt': [id('restaurant'), metres('x'), metres('y')],
  'couriers.txt': [id('courier'), metres('x'), metres('y'), minutes('on_time'), minutes('off_time')],
  'instance_parameters.txt': [
    setting('meters_per_minute', 1),
    setting('pickup service minutes', 0, 600),
    setting('dropoff service minutes', 0, 600),
    setting('target click-to-door', 0),
    setting('maximum click-to-door', 0),
    setting('pay per order', 0),
    setting('guaranteed pay per hour', 0),
  ],
};

/** Reads the four files of a day; throws MDRP_INVALID with every fault as `file:line`. */
export function parseInstance(texts: Readonly<Record<MdrpFile, string>>): MdrpInstance {
  const faults: Fault[] = [];
  const rows = (file: MdrpFile) => parseTable(file, texts[file], mdrpColumns[file], faults);
  const [orders, restaurants, couriers, parameters] = mdrpFiles.map(rows) as [Row[], Row[], Row[], Row[]];
  checkIds({ 'orders.txt': orders, 'restaurants.txt': restaurants, 'couriers.txt': couriers }, faults);
  checkOrders(orders, new Set(restaurants.map((row) => row.ids[0]!)), faults);
  for (const { line, numbers } of couriers) {
    if (numbers[3]! < numbers[2]!)
      faults.push(fault('couriers.txt', line, `off_time ${numbers[3]}`, `on_time (${numbers[2]}) or later`));
  }
  checkParameters(parameters, texts['instance_parameters.txt'], faults);
  if (orders.length === 0 && faults.length === 0)
    faults.push(fault('orders.txt', 1, 'no rows', 'at least one order'));
  if (faults.length > 0) throw invalid(faults);
  return {
    orders: orders.map(orderOf),
    restaurants: new Map(restaurants.map((row) => [row.ids[0]!, pointOf(row)])),
    couriers: couriers.map((row) => ({ ...pointOf(row), onAt: row.numbers[2]!, offAt: row.numbers[3]! })),
    parameters: parametersOf(parameters[0]!),
  };
}

export function invalid(faults: readonly Fault[]): RoundhouseError {
  const shown = faults.slice(0, 10).map(({ path, value, limit }) => `${path}: ${value}; expected ${limit}`);
  const more = faults.length > 10 ? [`… ${faults.length} faults in all`] : [];
  return new RoundhouseError(
    'MDRP_INVALID',
    ['the MDRP folder is not valid', ...shown, ...more].join('\n  '),
    faults,
  );
}

/** The format names places by these ids, so one id stands for one place in all three files. */
function checkIds(tables: Readonly<Record<string, readonly Row[]>>, faults: Fault[]): void {
  const seen = new Map<string, string>();
  for (const [file, rows] of Object.entries(tables)) {
    for (const { line, ids } of rows) {
      const where = seen.get(ids[0]!);
      if (where !== undefined)
        faults.push(fault(file, line, `id ${ids[0]}`, `an id not used before (${where})`));
      else if (ids[0] === '0')
        faults.push(fault(file, line, 'id 0', 'another id: 0 stands for the start of a courier'));
      else seen.set(ids[0]!, `${file}:${line}`);
    }
  }
}

function checkOrders(orders: readonly Row[], restaurants: ReadonlySet<string>, faults: Fault[]): void {
  for (const { line, ids, numbers } of orders) {
    if (!restaurants.has(ids[1]!))
      faults.push(fault('orders.txt', line, `restaurant ${ids[1]}`, 'a restaurant of restaurants.txt'));
    if (numbers[3]! < numbers[2]!)
      faults.push(
        fault('orders.txt', line, `ready_time ${numbers[3]}`, `placement_time (${numbers[2]}) or later`),
      );
  }
}

function checkParameters(rows: readonly Row[], text: string, faults: Fault[]): void {
  const file = 'instance_parameters.txt';
  if (rows.length !== 1 && !faults.some(({ path }) => path.startsWith(file)))
    faults.push(
      fault(file, Math.min(2, text.split('\n').length), `${rows.length} rows`, 'one row of values'),
    );
  for (const { line, numbers } of rows) {
    for (const [i, name] of [
      [1, 'pickup'],
      [2, 'dropoff'],
    ] as const) {
      if (numbers[i]! % 2 !== 0)
        faults.push(
          fault(
            file,
            line,
            `${name} service minutes ${numbers[i]}`,
            'an even number (half before, half after)',
          ),
        );
    }
  }
}

function pointOf(row: Row): MdrpRestaurant {
  return { id: row.ids[0]!, x: row.numbers[0]!, y: row.numbers[1]! };
}

function orderOf(row: Row): MdrpOrder {
  return { ...pointOf(row), placedAt: row.numbers[2]!, restaurant: row.ids[1]!, readyAt: row.numbers[3]! };
}

function parametersOf({ numbers }: Row): MdrpParameters {
  return {
    metresPerMinute: numbers[0]!,
    pickupServiceMinutes: numbers[1]!,
    dropoffServiceMinutes: numbers[2]!,
    targetClickToDoor: numbers[3]!,
    maximumClickToDoor: numbers[4]!,
    payPerOrder: numbers[5]!,
    guaranteedPayPerHour: numbers[6]!,
  };
}
