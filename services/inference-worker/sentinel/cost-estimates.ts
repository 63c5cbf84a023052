const mostModels = 256;
const rise = 0.5;
const fall = 0.02;

/**
 * What a request of a model costs: milliseconds a KiB of input, the high quantile of what was seen. The
 * average moves half of the way up to a larger cost and a fiftieth of the way down to a smaller one, so it
 * stays near the upper end. Requests of less than a KiB count as one.
 */
export class CostEstimates {
  private readonly perKib = new Map<string, number>();

  observe(model: string, bytes: number, ms: number): void {
    const seen = ms / kib(bytes);
    const known = this.perKib.get(model);
    if (known === undefined) return this.keep(model, seen);
    this.keep(model, known + (seen > known ? rise : fall) * (seen - known));
  }

  /** It takes at least so long: the request had not been answered then. */
  raise(model: string, bytes: number, ms: number): void {
    this.keep(model, Math.max(this.perKib.get(model) ?? 0, ms / kib(bytes)));
  }

  /**
   * What an engine says that a KiB costs it by now, after so many more answers: up at once, down as `observe` would
   * have brought it. So what was raised for a silence lasts beyond the next engine's first answer.
   */
  follow(model: string, msPerKib: number, answers: number): void {
    const known = this.perKib.get(model);
    const above = known === undefined ? 0 : Math.max(0, known - msPerKib);
    this.keep(model, msPerKib + above * (1 - fall) ** answers);
  }

  /** null for a model that has not answered yet. */
  expectedMs(model: string, bytes: number): number | null {
    const known = this.perKib.get(model);
    return known === undefined ? null : known * kib(bytes);
  }

  private keep(model: string, value: number): void {
    if (!this.perKib.has(model) && this.perKib.size >= mostModels) {
      this.perKib.delete(this.perKib.keys().next().value as string);
    }
    this.perKib.set(model, value);
  }
}

function kib(bytes: number): number {
  return Math.max(1, bytes / 1_024);
}
