import type { CandidateTable } from './candidate-table';

/** A table of candidates in arrays that can be handed to another thread. */
export interface PackedTable {
  readonly courier: Uint16Array<ArrayBuffer>;
  readonly bundle: Int32Array<ArrayBuffer>;
  /** Orders of bundle b: `orders[orderStart[b]] … orders[orderStart[b + 1] − 1]`. */
  readonly orderStart: Int32Array<ArrayBuffer>;
  readonly orders: Uint16Array<ArrayBuffer>;
}

export function packedTable({ courier, bundle, bundles }: CandidateTable): PackedTable {
  const orderStart = new Int32Array(bundles.length + 1);
  bundles.forEach(({ length }, index) => (orderStart[index + 1] = orderStart[index]! + length));
  const orders = new Uint16Array(orderStart[bundles.length]!);
  bundles.forEach((bundle, index) => orders.set(bundle, orderStart[index]!));
  return { courier: courier.slice(), bundle: bundle.slice(), orderStart, orders };
}

export function unpackedTable({ courier, bundle, orderStart, orders }: PackedTable): CandidateTable {
  const bundles = Array.from({ length: orderStart.length - 1 }, (_, index) =>
    Array.from(orders.subarray(orderStart[index]!, orderStart[index + 1]!)),
  );
  return { count: courier.length, courier, bundle, bundles };
}
