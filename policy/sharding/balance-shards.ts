import { ShardBuild } from './shard-rows';
import { stableOrder } from './stable-order';
import type { WeighedRows } from './weighed-rows';

/** The most expensive shard aims at this much of the mean, and may have that much. */
const TARGET_IMBALANCE = 1.05;
const MAX_IMBALANCE = 1.1;

/** Cuts the rows, in the order given, into runs of about equal cost; neighbours stay together. */
function cutInRuns(all: WeighedRows, bases: Float64Array, count: number): ShardBuild[] {
  const shards: ShardBuild[] = [];
  const { courier, cost } = all;
  /** The shard, plus 1, that had the courier's last row. */
  const shardOf = new Int32Array(bases.length);
  let left = wholeCost(all, bases);
  let [first, filled] = [0, 0];
  let share = left / count;
  for (let row = 0; row < all.count; row += 1) {
    const own = courier[row]!;
    const base = bases[own]!;
    let added = shardOf[own] === shards.length + 1 ? cost[row]! : cost[row]! + base;
    if (row > first && shards.length < count - 1 && filled + added / 2 > share) {
      shards.push(ShardBuild.ofRun(all, bases, { from: first, to: row, cost: filled }));
      left -= filled;
      share = left / (count - shards.length);
      [first, filled] = [row, 0];
      added = cost[row]! + base;
    }
    filled += added;
    shardOf[own] = shards.length + 1;
  }
  shards.push(ShardBuild.ofRun(all, bases, { from: first, to: all.count, cost: filled }));
  return shards;
}

/** Of all rows in one shard. */
function wholeCost(all: WeighedRows, bases: Float64Array): number {
  const seen = new Uint8Array(bases.length);
  let cost = 0;
  for (let row = 0; row < all.count; row += 1) {
    const courier = all.courier[row]!;
    cost += all.cost[row]! + (seen[courier] === 0 ? bases[courier]! : 0);
    seen[courier] = 1;
  }
  return cost;
}

/** Index of the row whose move from `heavy` to `light` evens them out best; −1 if none helps. */
function bestMove(heavy: ShardBuild, light: ShardBuild): number {
  let best = -1;
  let bestPeak = heavy.cost;
  for (let i = heavy.rows.length - 1; i >= 0; i -= 1) {
    const row = heavy.rows[i]!;
    const peak = Math.max(heavy.cost - heavy.saved(row), light.cost + light.added(row));
    if (peak < bestPeak) {
      best = i;
      bestPeak = peak;
    }
  }
  return best;
}

const meanCost = (shards: readonly ShardBuild[]) =>
  shards.reduce((sum, { cost }) => sum + cost, 0) / shards.length;
const heaviest = (shards: readonly ShardBuild[]) => shards.reduce((a, b) => (b.cost > a.cost ? b : a));
const lightest = (shards: readonly ShardBuild[]) => shards.reduce((a, b) => (b.cost < a.cost ? b : a));
const isBalanced = (shards: readonly ShardBuild[], limit: number) =>
  heaviest(shards).cost <= limit * meanCost(shards);

/** Moves single rows from the most expensive shard to the cheapest until they are even. */
function evenOut(shards: ShardBuild[], moves: number): void {
  for (let i = 0; i < moves && !isBalanced(shards, TARGET_IMBALANCE); i += 1) {
    const heavy = heaviest(shards);
    const light = lightest(shards);
    const move = bestMove(heavy, light);
    if (move < 0) return;
    light.add(heavy.remove(move));
  }
}

/** Largest first, each to the cheapest shard: evens out what runs can't, at the price of bigger tables. */
function spread(all: WeighedRows, bases: Float64Array, count: number): ShardBuild[] {
  const shards = Array.from({ length: count }, () => new ShardBuild(all, bases));
  const dearest = all.cost.reduce((most, cost) => Math.max(most, cost), 0);
  // Costs are multiples of a half.
  for (const row of stableOrder(all.cost.map((cost) => 2 * (dearest - cost)))) lightest(shards).add(row);
  return shards.filter((shard) => shard.rows.length > 0);
}

function shardsOf(all: WeighedRows, bases: Float64Array, count: number): ShardBuild[] {
  const runs = cutInRuns(all, bases, Math.min(count, all.count));
  evenOut(runs, 32 * count);
  if (isBalanced(runs, TARGET_IMBALANCE)) return runs;
  const shards = spread(all, bases, Math.min(count, all.count));
  return heaviest(shards).cost < heaviest(runs).cost ? shards : runs;
}

/**
 * About `count` shards of equal cost that hold every row once. Where single candidates are so dear that
 * they can't be evened out there are fewer shards, but at least `least`. Deterministic.
 */
export function balanceShards(
  all: WeighedRows,
  bases: Float64Array,
  count: number,
  least: number,
): ShardBuild[] {
  if (all.count === 0) return [];
  let dearest = 0;
  for (let row = 0; row < all.count; row += 1) {
    dearest = Math.max(dearest, all.cost[row]! + bases[all.courier[row]!]!);
  }
  let wanted = count;
  for (;;) {
    const shards = shardsOf(all, bases, wanted);
    if (wanted <= least || isBalanced(shards, MAX_IMBALANCE)) return shards;
    // Largest first leaves no shard above mean + dearest, so this many are balanced.
    const sure = Math.floor((shards.length * meanCost(shards)) / (10 * dearest));
    wanted = Math.max(least, Math.min(wanted - 1, sure));
  }
}
