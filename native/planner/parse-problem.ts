import { nearestName } from '#schemas/nearest-name';
import { shownText } from '#schemas/shown-text';
import { MAX_PLAN_ORDERS, MAX_STOPS } from '#schemas/tensors';
import type { RouteOrder, RouteProblem, RouteStop } from './route-problem';

/** What is wrong with a line: the path of the field, what stands there, and what is allowed. */
export class MalformedProblem extends Error {
  constructor(path: string, reason: string) {
    super(path === '' ? reason : `${path}: ${reason}`);
    this.name = 'MalformedProblem';
  }
}

export interface NumberedProblem {
  readonly id: number;
  readonly problem: RouteProblem;
}

const problemFields = ['id', 'n', 'm', 'Q', 't0', 'w', 'orders', 'svc', 'T'] as const;
const orderFields = ['ready', 'promised', 'pick', 'drop', 'new'] as const;
const int32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };
const duration = { least: 0, most: int32.most };
const weight = { least: 0, most: Number.MAX_SAFE_INTEGER };
const anyExact = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };

function shown(value: unknown): string {
  return shownText(JSON.stringify(value) ?? 'nothing', 60);
}

function fieldsOf<Name extends string>(
  value: unknown,
  path: string,
  names: readonly Name[],
): Record<Name, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedProblem(path, `${shown(value)} is no object`);
  }
  const known: readonly string[] = names;
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const nearest = nearestName(key, names);
    const hint = nearest === null ? `the fields are ${names.join(', ')}` : `did you mean ${nearest}?`;
    throw new MalformedProblem(path, `unknown field ${shown(key)}: ${hint}`);
  }
  const missing = names.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw new MalformedProblem(path, `field ${missing} is missing`);
  return value as Record<Name, unknown>;
}

function integer(value: unknown, path: string, { least, most } = int32): number {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    throw new MalformedProblem(path, `${shown(value)} is no whole number within ${least}..${most}`);
  }
  return value as number;
}

function arrayOf(value: unknown, path: string, length: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedProblem(path, `${shown(value)} is no array`);
  if (value.length !== length) {
    throw new MalformedProblem(path, `has ${value.length} entries, needed are ${length}`);
  }
  return value;
}

function integers(value: unknown, path: string, length: number, range: typeof int32): number[] {
  return arrayOf(value, path, length).map((entry, index) => integer(entry, `${path}[${index}]`, range));
}

function count(value: unknown, path: string, limit: number, what: string): number {
  const found = integer(value, path, duration);
  if (found > limit) throw new MalformedProblem(path, `${found} is above the limit of ${limit} ${what}`);
  return found;
}

interface ParsedOrder {
  readonly order: RouteOrder;
  /** Null: on board. */
  readonly pick: number | null;
  readonly drop: number;
  readonly group: RouteStop['group'];
}

function parseOrder(value: unknown, path: string, stopCount: number): ParsedOrder {
  const fields = fieldsOf(value, path, orderFields);
  const stop = { least: 1, most: stopCount };
  const pick = fields.pick === -1 ? null : integer(fields.pick, `${path}.pick`, stop);
  const isNew = integer(fields.new, `${path}.new`, { least: 0, most: 1 }) === 1;
  return {
    order: {
      ready: integer(fields.ready, `${path}.ready`),
      promised: integer(fields.promised, `${path}.promised`),
      latestDropoff: null,
      size: 1,
      onBoard: pick === null,
    },
    pick,
    drop: integer(fields.drop, `${path}.drop`, stop),
    group: isNew ? 'bundle' : 'held',
  };
}

/** The stops by number; every number from 1 to `services.length − 1` must belong to exactly one order. */
function numberStops(parsed: readonly ParsedOrder[], services: readonly number[]): RouteStop[] {
  const stops = new Map<number, RouteStop>();
  const place = (number: number, path: string, kind: RouteStop['kind'], order: number) => {
    if (stops.has(number)) throw new MalformedProblem(path, `stop ${number} stands there twice`);
    const { group } = parsed[order]!;
    stops.set(number, { kind, group, orders: [order], preService: 0, postService: services[number]! });
  };
  parsed.forEach(({ pick, drop }, order) => {
    if (pick !== null) place(pick, `orders[${order}].pick`, 'pickup', order);
    place(drop, `orders[${order}].drop`, 'dropoff', order);
  });
  return services.slice(1).map((_, index) => {
    const stop = stops.get(index + 1);
    if (stop === undefined) throw new MalformedProblem('m', `stop ${index + 1} belongs to no order`);
    return stop;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new MalformedProblem('', `no JSON: ${(error as Error).message}`);
  }
}

/** Reads one line in the format of docs/or.md. Throws MalformedProblem. */
export function parseProblem(text: string): NumberedProblem {
  const fields = fieldsOf(parseJson(text), '', problemFields);
  const id = integer(fields.id, 'id', anyExact);
  const orderCount = count(fields.n, 'n', MAX_PLAN_ORDERS, 'orders');
  const stopCount = count(fields.m, 'm', MAX_STOPS, 'stops');
  const parsed = arrayOf(fields.orders, 'orders', orderCount).map((order, index) =>
    parseOrder(order, `orders[${index}]`, stopCount),
  );
  const services = integers(fields.svc, 'svc', stopCount + 1, duration);
  const [lateness, drive, freshness] = integers(fields.w, 'w', 3, weight) as [number, number, number];
  return {
    id,
    problem: {
      orders: parsed.map(({ order }) => order),
      stops: numberStops(parsed, services),
      travel: arrayOf(fields.T, 'T', stopCount + 1).map((row, from) =>
        integers(row, `T[${from}]`, stopCount + 1, duration),
      ),
      weights: { lateness, duration: drive, freshness },
      startAt: integer(fields.t0, 't0'),
      capacity: integer(fields.Q, 'Q', duration),
      latestPickup: null,
      interleave: true,
    },
  };
}
