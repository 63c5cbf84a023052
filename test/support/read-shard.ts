import type { Shard } from '#schemas/domain';
import {
  COURIER_COLUMNS,
  CourierColumn,
  HELD_COLUMNS,
  HeldColumn,
  NO_ROW,
  ORDER_COLUMNS,
  ORDER_FEATURE_COLUMNS,
  OrderColumn,
  PLACE_COLUMNS,
  Param,
} from '#schemas/tensors';
import { tensorValues } from './tensor-values';

function values(shard: Shard, name: string): (number | bigint)[] {
  const { shape } = shard.tensors.find((tensor) => tensor.name === name)!;
  const array = Array.from<number | bigint>(tensorValues(shard, name));
  expect(shape).toEqual([1, array.length]);
  return array;
}

function rows(shard: Shard, name: string, columns: number): number[][] {
  const all = values(shard, name) as number[];
  expect(all.length % columns).toBe(0);
  return Array.from({ length: all.length / columns }, (_, i) => all.slice(i * columns, (i + 1) * columns));
}

/** A shard's tables as numbers, and its candidates with round-wide indices. */
export function readShard(shard: Shard) {
  const params = values(shard, 'params') as bigint[];
  const couriers = rows(shard, 'couriers', COURIER_COLUMNS);
  const held = rows(shard, 'held', HELD_COLUMNS);
  const orders = rows(shard, 'orders', ORDER_COLUMNS);
  const candidateRows = rows(shard, 'candidates', Number(params[Param.candidateColumns]));
  const orderOf = (row: number) => orders[row]![OrderColumn.roundIndex]!;
  const candidates = candidateRows.map(([courier, ...bundle]) => ({
    courier: couriers[courier!]![CourierColumn.roundIndex]!,
    orders: bundle.filter((row) => row !== NO_ROW).map(orderOf),
  }));
  const heldOf = (courier: number[]) =>
    held
      .slice(
        courier[CourierColumn.heldOffset],
        courier[CourierColumn.heldOffset]! + courier[CourierColumn.heldCount]!,
      )
      .map((row) => ({ order: orderOf(row[HeldColumn.order]!), onBoard: row[HeldColumn.onBoard] === 1 }));
  return {
    params,
    couriers,
    heldOf,
    held,
    orders,
    places: rows(shard, 'places', PLACE_COLUMNS),
    features: rows(shard, 'order_features', ORDER_FEATURE_COLUMNS),
    candidates,
  };
}

export const shardBytes = (shard: Shard) => shard.tensors.reduce((sum, { data }) => sum + data.byteLength, 0);
