import { execFileSync } from 'node:child_process';
import type { NamedTensor, Shard } from '#schemas/domain';
import {
  ETR_OUTPUTS,
  HeldColumn,
  KnownFlag,
  ORDER_COLUMNS,
  OrderColumn,
  PlaceColumn,
  Param,
} from '#schemas/tensors';
import { projectPath } from '#schemas/project-root';
import { readShard } from './read-shard';

/** ETR written a second time, from docs/etr.md alone and with another binding of the runtime, to compare with the backend. */
export interface PredictedTimes {
  /** By row of `orders`. */
  readonly orders: readonly { readyAt: number; pickupPostService: number; dropoffPostService: number }[];
  readonly rideFactors: readonly number[];
}

/** The network in a process of its own: jest's realms and the runtime's binding don't agree on Float32Array. */
export function runNetwork(model: string, rows: readonly number[][]): Float32Array {
  const input = Buffer.from(Float32Array.from(rows.flat()).buffer);
  const script = projectPath('test/support/run-network.cjs');
  const output = execFileSync(process.execPath, [script, model], { input });
  return new Float32Array(Uint8Array.from(output).buffer);
}

type Tables = ReturnType<typeof readShard>;

function contextColumns({ params }: Tables): number[] {
  const angle = (2 * Math.PI * Number(params[Param.secondsOfDay])) / 86_400;
  const isWeekend = Number(params[Param.dayOfWeek]) >= 5 ? 1 : 0;
  const perMille = [Param.rainPerMille, Param.trafficPerMille].map((at) => Number(params[at]) / 1_000);
  return [Math.sin(angle), Math.cos(angle), isWeekend, ...perMille];
}

function orderFeatures(tables: Tables, row: number): number[] {
  const order = tables.orders[row]!;
  const [from, to] = [
    tables.places[order[OrderColumn.pickupPlace]!]!,
    tables.places[order[OrderColumn.dropoffPlace]!]!,
  ];
  const metres = Math.ceil(
    Math.hypot(to[PlaceColumn.x]! - from[PlaceColumn.x]!, to[PlaceColumn.y]! - from[PlaceColumn.y]!),
  );
  return [0, ...contextColumns(tables), ...tables.features[row]!, metres / 1_000, 0, 0, 0, 0, 0];
}

function legFeatures(tables: Tables, vehicle: number): number[] {
  const oneHot = [0, 1, 2, 3].map((code) => (code === vehicle ? 1 : 0));
  return [1, ...contextColumns(tables), ...new Array<number>(9).fill(0), ...oneHot, 0];
}

const within = (least: number, most: number, value: number) =>
  Math.min(most, Math.max(least, Math.floor(value + 0.5)));

function onBoardRows(tables: Tables, shard: Shard): Set<number> {
  const used = tables.couriers.flatMap((courier) => tables.heldOf(courier));
  const rowOf = new Map(tables.orders.map((order, row) => [order[OrderColumn.roundIndex]!, row]));
  expect(tables.held[0]![HeldColumn.order]).toBe(0);
  expect(shard.candidateCount).toBe(tables.candidates.length);
  return new Set(used.filter(({ onBoard }) => onBoard).map(({ order }) => rowOf.get(order)!));
}

export function predictTimes(shard: Shard, model: string): PredictedTimes {
  const tables = readShard(shard);
  const rows = [
    ...tables.orders.map((_, row) => orderFeatures(tables, row)),
    ...[0, 1, 2, 3].map((v) => legFeatures(tables, v)),
  ];
  const quantiles = runNetwork(model, rows);
  const shift = tables.params[Param.quantile] === 90n ? 1 : 0;
  const output = (row: number, pair: number) => quantiles[row * ETR_OUTPUTS + 2 * pair + shift]!;
  const onBoard = onBoardRows(tables, shard);
  const orders = tables.orders.map((order, row) => {
    const known = order[OrderColumn.flags]! | (onBoard.has(row) ? KnownFlag.ready | KnownFlag.pickupWait : 0);
    const seconds = (flag: number, stated: number, pair: number) =>
      (known & flag) !== 0 ? stated : within(0, 86_400, output(row, pair));
    const ready = Math.max(0, order[OrderColumn.placedAt]! + within(0, 86_400, output(row, 0)));
    return {
      readyAt: (known & KnownFlag.ready) !== 0 ? order[OrderColumn.readyAt]! : ready,
      pickupPostService: seconds(KnownFlag.pickupWait, order[OrderColumn.pickupPostService]!, 1),
      dropoffPostService: seconds(KnownFlag.handover, order[OrderColumn.dropoffPostService]!, 2),
    };
  });
  const travelKnown = tables.params[Param.travelKnown] === 1n;
  const rideFactors = [0, 1, 2, 3].map((vehicle) =>
    travelKnown ? 1_000 : within(100, 10_000, 1_000 * output(tables.orders.length + vehicle, 3)),
  );
  return { orders, rideFactors };
}

/** The shard with these times stated as known. */
export function withKnownTimes(shard: Shard, times: PredictedTimes): readonly NamedTensor[] {
  return shard.tensors.map((tensor) => {
    if (tensor.name !== 'orders') return tensor;
    const columns = new Int32Array(Uint8Array.from(tensor.data).buffer);
    times.orders.forEach((order, row) => {
      const at = row * ORDER_COLUMNS;
      columns[at + OrderColumn.readyAt] = order.readyAt;
      columns[at + OrderColumn.pickupPostService] = order.pickupPostService;
      columns[at + OrderColumn.dropoffPostService] = order.dropoffPostService;
      columns[at + OrderColumn.flags] = 7;
    });
    return { ...tensor, data: new Uint8Array(columns.buffer) };
  });
}
