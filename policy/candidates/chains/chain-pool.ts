/** A courier's chain of orders, trip by trip. */
export interface Chain {
  readonly courier: number;
  readonly orders: readonly number[];
}

/** Chains that a search met, each once. */
export class ChainPool {
  private readonly known = new Set<string>();
  readonly chains: Chain[] = [];

  constructor(private readonly most: number) {}

  add(courier: number, orders: Int32Array): void {
    if (orders.length === 0 || this.chains.length >= this.most) return;
    const key = `${courier} ${orders.join(' ')}`;
    if (this.known.has(key)) return;
    this.known.add(key);
    this.chains.push({ courier, orders: [...orders] });
  }
}
