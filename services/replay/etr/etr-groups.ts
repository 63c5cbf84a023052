import { ErrorSums, type ErrorFigures, type Predicted } from './error-figures';

/**
 * `preparation`: from placement to ready, by the prediction when the order was first seen; `merchantMean`: the
 * merchant's own mean in its place. `pickup`, `door`: by the plan with which the order was finally assigned.
 */
export const quantities = ['preparation', 'merchantMean', 'pickup', 'door'] as const;
export type Quantity = (typeof quantities)[number];

export interface EtrGroup {
  readonly quantity: Quantity;
  readonly by: 'all' | 'hour' | 'merchant';
  /** The hour (0 to 23), or the merchant's place; empty of all. */
  readonly name: string;
  readonly figures: ErrorFigures;
}

export interface Sample {
  readonly merchant: string;
  readonly hour: number;
  readonly predicted: Predicted;
  /** Seconds from the same beginning as the prediction. */
  readonly actual: number;
}

/** Errors of all, by hour of the day and by merchant. */
export class EtrGroups {
  private readonly sums = new Map<
    string,
    { readonly group: Omit<EtrGroup, 'figures'>; readonly sums: ErrorSums }
  >();

  add(quantity: Quantity, { merchant, hour, predicted, actual }: Sample): void {
    this.one({ quantity, by: 'all', name: '' }).add(predicted, actual);
    this.one({ quantity, by: 'hour', name: String(hour) }).add(predicted, actual);
    this.one({ quantity, by: 'merchant', name: merchant }).add(predicted, actual);
  }

  private one(group: Omit<EtrGroup, 'figures'>): ErrorSums {
    const key = JSON.stringify([group.quantity, group.by, group.name]);
    const found = this.sums.get(key) ?? { group, sums: new ErrorSums() };
    this.sums.set(key, found);
    return found.sums;
  }

  /** Hours in their order, merchants with the largest error first. */
  groups(): EtrGroup[] {
    const all = [...this.sums.values()].map(({ group, sums }) => ({ ...group, figures: sums.figures() }));
    const place = ({ quantity, by }: EtrGroup): number =>
      3 * quantities.indexOf(quantity) + ['all', 'hour', 'merchant'].indexOf(by);
    const within = (a: EtrGroup, b: EtrGroup): number =>
      a.by === 'hour' ? Number(a.name) - Number(b.name) : (b.figures.mae ?? 0) - (a.figures.mae ?? 0);
    return all.sort((a, b) => place(a) - place(b) || within(a, b));
  }
}
