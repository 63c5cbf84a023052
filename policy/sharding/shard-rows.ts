import { NO_BUNDLE, type WeighedRows } from './weighed-rows';

/** The rows of a shard: candidates, and with NO_BUNDLE the base rows of couriers with held orders. */
export type ShardRows = Omit<WeighedRows, 'cost'>;

/** Rows with the sum of their costs; a courier's base row is counted once, when its first row comes. */
export class ShardBuild {
  /** Positions in `all`. */
  readonly rows: number[] = [];
  cost = 0;
  /** Rows by courier, once something is asked of them. */
  private counts: Map<number, number> | null = null;

  constructor(
    private readonly all: WeighedRows,
    private readonly bases: Float64Array,
  ) {}

  /** Rows behind one another; their cost is known. */
  static ofRun(
    all: WeighedRows,
    bases: Float64Array,
    { from, to, cost }: { readonly from: number; readonly to: number; readonly cost: number },
  ): ShardBuild {
    const shard = new ShardBuild(all, bases);
    for (let row = from; row < to; row += 1) shard.rows.push(row);
    shard.cost = cost;
    return shard;
  }

  /** What the shard's cost becomes more by this row. */
  added(row: number): number {
    const courier = this.all.courier[row]!;
    return this.all.cost[row]! + (this.rowsOf().has(courier) ? 0 : this.bases[courier]!);
  }

  add(row: number): void {
    this.cost += this.added(row);
    const [courier, counts] = [this.all.courier[row]!, this.rowsOf()];
    counts.set(courier, (counts.get(courier) ?? 0) + 1);
    this.rows.push(row);
  }

  /** What the shard's cost becomes less without this row. */
  saved(row: number): number {
    const courier = this.all.courier[row]!;
    return this.all.cost[row]! + (this.rowsOf().get(courier) === 1 ? this.bases[courier]! : 0);
  }

  remove(index: number): number {
    const row = this.rows[index]!;
    this.cost -= this.saved(row);
    const [courier, counts] = [this.all.courier[row]!, this.rowsOf()];
    const left = counts.get(courier)! - 1;
    if (left === 0) counts.delete(courier);
    else counts.set(courier, left);
    this.rows.splice(index, 1);
    return row;
  }

  private rowsOf(): Map<number, number> {
    if (this.counts !== null) return this.counts;
    const counts = new Map<number, number>();
    for (const row of this.rows) {
      const courier = this.all.courier[row]!;
      counts.set(courier, (counts.get(courier) ?? 0) + 1);
    }
    return (this.counts = counts);
  }
}

/** Candidate rows as they stand in the tensor: by courier in the order of their first rows, the base row first. */
export function orderedRows({ rows }: ShardBuild, all: WeighedRows, bases: Float64Array): ShardRows {
  const { firsts, next } = chainsOf(rows, all, bases.length);
  const courier = new Uint16Array(rows.length + firsts.length);
  const bundle = new Int32Array(courier.length);
  let count = 0;
  for (const first of firsts) {
    const own = all.courier[rows[first]!]!;
    if (bases[own]! > 0) {
      courier[count] = own;
      bundle[count++] = NO_BUNDLE;
    }
    for (let at = first; at >= 0; at = next[at]!) {
      const index = all.bundle[rows[at]!]!;
      if (index === NO_BUNDLE) continue;
      courier[count] = own;
      bundle[count++] = index;
    }
  }
  return { count, courier, bundle, bundles: all.bundles };
}

/** The rows of each courier, linked in their order: `firsts` begin a chain, `next` is −1 at its end. */
function chainsOf(rows: readonly number[], all: WeighedRows, couriers: number) {
  const next = new Int32Array(rows.length).fill(-1);
  const last = new Int32Array(couriers).fill(-1);
  const firsts: number[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const courier = all.courier[rows[at]!]!;
    const before = last[courier]!;
    if (before < 0) firsts.push(at);
    else next[before] = at;
    last[courier] = at;
  }
  return { firsts, next };
}
