import type { PlanningView } from '../candidates/index';
import { predictedCost } from './predicted-cost';

/** A row of a shard: a candidate, or with an empty bundle the base row of a courier with held orders. */
export interface ShardRow {
  readonly courier: number;
  readonly bundle: readonly number[];
}

/** A candidate with what it adds to a shard's cost. */
export interface WeighedRow extends ShardRow {
  readonly cost: number;
}

/** Cost of each courier's base row; 0 where it holds nothing and so has none. */
export function baseCosts(view: PlanningView): readonly number[] {
  return view.round.couriers.map(({ held }, courier) =>
    held.length === 0 || !view.drives[courier] ? 0 : predictedCost(view, courier, []),
  );
}

/** Rows with the sum of their costs; a courier's base row is counted once, when its first row comes. */
export class ShardBuild {
  readonly rows: WeighedRow[] = [];
  cost = 0;
  private readonly rowsOf = new Map<number, number>();

  constructor(private readonly bases: readonly number[]) {}

  /** What the shard's cost becomes more by this row. */
  added(row: WeighedRow): number {
    return row.cost + (this.rowsOf.has(row.courier) ? 0 : this.bases[row.courier]!);
  }

  add(row: WeighedRow): void {
    this.cost += this.added(row);
    this.rowsOf.set(row.courier, (this.rowsOf.get(row.courier) ?? 0) + 1);
    this.rows.push(row);
  }

  /** What the shard's cost becomes less without this row. */
  saved(row: WeighedRow): number {
    return row.cost + (this.rowsOf.get(row.courier) === 1 ? this.bases[row.courier]! : 0);
  }

  remove(index: number): WeighedRow {
    const row = this.rows[index]!;
    this.cost -= this.saved(row);
    const left = this.rowsOf.get(row.courier)! - 1;
    if (left === 0) this.rowsOf.delete(row.courier);
    else this.rowsOf.set(row.courier, left);
    this.rows.splice(index, 1);
    return row;
  }

  /** Candidate rows as they stand in the tensor: by courier, the base row first. */
  ordered(): ShardRow[] {
    const couriers = new Map<number, ShardRow[]>();
    for (const row of this.rows) {
      const rows = couriers.get(row.courier);
      if (rows) rows.push(row);
      else couriers.set(row.courier, [row]);
    }
    return [...couriers].flatMap(([courier, rows]) => {
      const candidates = rows.filter(({ bundle }) => bundle.length > 0);
      return this.bases[courier]! > 0 ? [{ courier, bundle: [] }, ...candidates] : candidates;
    });
  }
}
