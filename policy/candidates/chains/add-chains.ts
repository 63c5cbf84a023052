import { beginsTrip } from '../../routing/index';
import type { CandidateRows } from '../candidate-table';
import type { PlanningView } from '../planning-view';
import type { Chain } from './chain-pool';

/** Adds chains up to `most` rows in all, without those of one trip that stand there as a bundle. */
export function addChains(
  view: PlanningView,
  rows: CandidateRows,
  most: number,
  chains: readonly Chain[],
): void {
  const bundles = chains.length === 0 ? new Set<string>() : offered(rows);
  let room = most - rows.table().count;
  for (const { courier, orders } of chains) {
    if (room <= 0) return;
    const isOneTrip = !orders.some((_, at) => beginsTrip(view.round, view.geometry, orders, at));
    if (isOneTrip && bundles.has(keyOf(courier, orders))) continue;
    if (isOneTrip) bundles.add(keyOf(courier, orders));
    rows.add(orders, Int32Array.of(courier), 1);
    room -= 1;
  }
}

const keyOf = (courier: number, orders: readonly number[]) =>
  `${courier} ${orders.toSorted((a, b) => a - b).join(' ')}`;

function offered(rows: CandidateRows): Set<string> {
  const { count, courier, bundle, bundles } = rows.table();
  const keys = new Set<string>();
  for (let row = 0; row < count; row += 1) keys.add(keyOf(courier[row]!, bundles[bundle[row]!]!));
  return keys;
}
