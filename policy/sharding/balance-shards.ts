import { ShardBuild, type WeighedRow } from './shard-rows';

/** The most expensive shard aims at this much of the mean, and may have that much. */
const TARGET_IMBALANCE = 1.05;
const MAX_IMBALANCE = 1.1;

/** Cuts the rows, in the order given, into runs of about equal cost; neighbours stay together. */
function cutInRuns(rows: readonly WeighedRow[], bases: readonly number[], count: number): ShardBuild[] {
  const shards = Array.from({ length: count }, () => new ShardBuild(bases));
  const whole = new ShardBuild(bases);
  for (const row of rows) whole.add(row);
  let before = 0;
  let current = 0;
  for (const row of rows) {
    const shard = shards[current]!;
    const share = (whole.cost - before) / (count - current);
    const added = shard.added(row);
    const full = shard.rows.length > 0 && shard.cost + added / 2 > share;
    if (full && current < count - 1) {
      before += shard.cost;
      current += 1;
    }
    shards[current]!.add(row);
  }
  return shards.filter((shard) => shard.rows.length > 0);
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
function spread(rows: readonly WeighedRow[], bases: readonly number[], count: number): ShardBuild[] {
  const shards = Array.from({ length: count }, () => new ShardBuild(bases));
  const order = rows.map((row, index) => ({ row, index }));
  order.sort((a, b) => b.row.cost - a.row.cost || a.index - b.index);
  for (const { row } of order) lightest(shards).add(row);
  return shards.filter((shard) => shard.rows.length > 0);
}

function shardsOf(rows: readonly WeighedRow[], bases: readonly number[], count: number): ShardBuild[] {
  const runs = cutInRuns(rows, bases, Math.min(count, rows.length));
  evenOut(runs, 32 * count);
  if (isBalanced(runs, TARGET_IMBALANCE)) return runs;
  const shards = spread(rows, bases, Math.min(count, rows.length));
  return heaviest(shards).cost < heaviest(runs).cost ? shards : runs;
}

/**
 * About `count` shards of equal cost that hold every row once. Where single candidates are so dear that
 * they can't be evened out there are fewer shards, but at least `least`. Deterministic.
 */
export function balanceShards(
  rows: readonly WeighedRow[],
  bases: readonly number[],
  count: number,
  least: number,
): ShardBuild[] {
  if (rows.length === 0) return [];
  const dearest = rows.reduce((most, { cost, courier }) => Math.max(most, cost + bases[courier]!), 0);
  let wanted = count;
  for (;;) {
    const shards = shardsOf(rows, bases, wanted);
    if (wanted <= least || isBalanced(shards, MAX_IMBALANCE)) return shards;
    // Largest first leaves no shard above mean + dearest, so this many are balanced.
    const sure = Math.floor((shards.length * meanCost(shards)) / (10 * dearest));
    wanted = Math.max(least, Math.min(wanted - 1, sure));
  }
}
