import type { Bundle } from '../candidates/index';
import { NO_BUNDLE, type WeighedRows } from './weighed-rows';

/** A row of a shard: a candidate, or with an empty bundle the base row of a courier with held orders. */
export interface ShardRow {
  readonly courier: number;
  readonly bundle: Bundle;
}

const NONE: Bundle = [];

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

  /** For who knows what the row adds. */
  append(row: number, added: number): void {
    this.cost += added;
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
export function orderedRows({ rows }: ShardBuild, all: WeighedRows, bases: Float64Array): ShardRow[] {
  const chains = new CourierChains(all, rows);
  const ordered: ShardRow[] = [];
  for (const first of chains.firsts) {
    const courier = all.courier[rows[first]!]!;
    if (bases[courier]! > 0) ordered.push({ courier, bundle: NONE });
    for (let at = first; at >= 0; at = chains.next[at]!) {
      const bundle = all.bundle[rows[at]!]!;
      if (bundle !== NO_BUNDLE) ordered.push({ courier, bundle: all.bundles[bundle]! });
    }
  }
  return ordered;
}

/** The rows of each courier, linked in their order. */
class CourierChains {
  readonly next: Int32Array;
  readonly firsts: number[] = [];

  constructor(all: WeighedRows, rows: readonly number[]) {
    this.next = new Int32Array(rows.length).fill(-1);
    const last = new Map<number, number>();
    for (let at = 0; at < rows.length; at += 1) {
      const courier = all.courier[rows[at]!]!;
      const before = last.get(courier);
      if (before === undefined) this.firsts.push(at);
      else this.next[before] = at;
      last.set(courier, at);
    }
  }
}
