import { figureIds, type FigureId, type Figures } from './figures';

export const historyLength = 150;

/** The last values of every figure, the oldest first. */
export class History {
  private readonly at: number[] = [];
  private readonly values = Object.fromEntries(
    figureIds.map((id) => [id, [] as (number | null)[]]),
  ) as Record<FigureId, (number | null)[]>;

  constructor(private readonly intervalMs = 0) {}

  /** Moments at which nobody looked get the figures of the look behind them. */
  add(figures: Figures, at: number): void {
    const last = this.at.at(-1);
    const missed =
      last === undefined || this.intervalMs === 0 ? 0 : Math.round((at - last) / this.intervalMs) - 1;
    for (let i = Math.min(missed, historyLength - 1); i >= 1; i--)
      this.put(figures, at - i * this.intervalMs);
    this.put(figures, at);
  }

  private put(figures: Figures, at: number): void {
    this.at.push(at);
    for (const id of figureIds) this.values[id].push(figures[id]);
    if (this.at.length <= historyLength) return;
    this.at.shift();
    for (const id of figureIds) this.values[id].shift();
  }

  get times(): readonly number[] {
    return this.at;
  }

  get figures(): Readonly<Record<FigureId, readonly (number | null)[]>> {
    return this.values;
  }
}
