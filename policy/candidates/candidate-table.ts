import type { Bundle } from './bundle-rule';

/** One courier with one bundle, worth costing. */
export interface Candidate {
  readonly courier: number;
  readonly bundle: Bundle;
}

/** The candidates of a round, each a row of two columns: there may be hundreds of thousands. */
export interface CandidateTable {
  readonly count: number;
  readonly courier: Uint16Array;
  /** Index in `bundles`. */
  readonly bundle: Int32Array;
  readonly bundles: readonly Bundle[];
}

const FIRST_ROWS = 1_024;

/** Rows of a table that grows; a bundle stands in `bundles` once, however many couriers it has. */
export class CandidateRows {
  private courier = new Uint16Array(FIRST_ROWS);
  private bundle = new Int32Array(FIRST_ROWS);
  private readonly bundles: Bundle[] = [];
  private count = 0;

  /** The bundle with the first `couriers` of `of`. */
  add(bundle: Bundle, of: Int32Array, couriers: number): void {
    if (couriers === 0) return;
    if (this.count + couriers > this.courier.length) this.grow(this.count + couriers);
    const index = this.bundles.push(bundle) - 1;
    for (let i = 0; i < couriers; i += 1) this.courier[this.count + i] = of[i]!;
    this.bundle.fill(index, this.count, this.count + couriers);
    this.count += couriers;
  }

  append({ count, courier, bundle, bundles }: CandidateTable): void {
    if (this.count + count > this.courier.length) this.grow(this.count + count);
    const known = this.bundles.length;
    for (const one of bundles) this.bundles.push(one);
    this.courier.set(courier, this.count);
    for (let row = 0; row < count; row += 1) this.bundle[this.count + row] = known + bundle[row]!;
    this.count += count;
  }

  table(): CandidateTable {
    const { count, bundles } = this;
    const [courier, bundle] = [this.courier.subarray(0, count), this.bundle.subarray(0, count)];
    return { count, courier, bundle, bundles };
  }

  private grow(rows: number): void {
    const capacity = Math.max(rows, 2 * this.courier.length);
    const [courier, bundle] = [new Uint16Array(capacity), new Int32Array(capacity)];
    courier.set(this.courier);
    bundle.set(this.bundle);
    this.courier = courier;
    this.bundle = bundle;
  }
}

export function candidatesOf({ count, courier, bundle, bundles }: CandidateTable): Candidate[] {
  return Array.from({ length: count }, (_, row) => ({
    courier: courier[row]!,
    bundle: bundles[bundle[row]!]!,
  }));
}
