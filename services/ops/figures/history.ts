import { figureIds, type FigureId, type Figures } from './figures';

export const historyLength = 150;

/** The last values of every figure, the oldest first. */
export class History {
  private readonly at: number[] = [];
  private readonly values = Object.fromEntries(
    figureIds.map((id) => [id, [] as (number | null)[]]),
  ) as Record<FigureId, (number | null)[]>;

  add(figures: Figures, at: number): void {
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
