/** So many requests in a row, all of them different, are more than bad luck. */
export const poisonFailures = 5;

interface Row {
  readonly requests: Set<string>;
}

/** Models (name and version) that have answered well; kept from one engine to the next. */
export class ProvenModels {
  private readonly names = new Set<string>();

  has(model: string): boolean {
    return this.names.has(model);
  }
  add(model: string): void {
    if (this.names.size < 1_000) this.names.add(model);
  }
  /** An engine was replaced for it: until it answers well again, its failures are its own. */
  doubt(model: string): void {
    this.names.delete(model);
  }
}

/**
 * Failures of models in one engine. A model that used to answer and now fails every request, whichever it
 * is, speaks against the engine; one that has never answered, or still fails in the next engine, speaks
 * against itself, and one request that fails again and again against that request.
 */
export class ModelFailures {
  private readonly rows = new Map<string, Row>();

  constructor(private readonly proven: ProvenModels) {}

  succeeded(model: string): void {
    this.rows.delete(model);
    this.proven.add(model);
  }

  /** Whether the engine is poisoned. */
  failed(model: string, requestId: string): boolean {
    if (!this.proven.has(model)) return false;
    const row = this.rows.get(model) ?? { requests: new Set() };
    this.rows.set(model, row);
    row.requests.add(requestId);
    if (row.requests.size < poisonFailures) return false;
    this.proven.doubt(model);
    return true;
  }
}
