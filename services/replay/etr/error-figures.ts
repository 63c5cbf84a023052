import { quantile } from '#policy/simulation/statistics';
import { Thinned } from '../report/thinned';

/** Predicted quantiles, seconds; null where that quantile was not predicted. */
export interface Predicted {
  readonly p50: number | null;
  readonly p90: number | null;
}

/** Seconds; shares are of 1. null where the quantile was never predicted. */
export interface ErrorFigures {
  readonly count: number;
  /** Of p50: mean absolute error, mean of actual − predicted, 90th percentile of the absolute error. */
  readonly mae: number | null;
  readonly bias: number | null;
  readonly p90Error: number | null;
  /** Of what happened, how much came no later than predicted: 0.5 and 0.9 where the quantiles are true. */
  readonly within50: number | null;
  readonly within90: number | null;
  /** Pinball losses: the less the better, of bias and spread together. */
  readonly pinball50: number | null;
  readonly pinball90: number | null;
}

const pinball = (error: number, part: number): number => (error >= 0 ? part * error : (part - 1) * error);

class Sums {
  count = 0;
  private error = 0;
  private absolute = 0;
  private within = 0;
  private pinball = 0;

  constructor(private readonly part: number) {}

  add(error: number): void {
    this.count += 1;
    this.error += error;
    this.absolute += Math.abs(error);
    this.pinball += pinball(error, this.part);
    if (error <= 0) this.within += 1;
  }

  means() {
    const of = (sum: number) => (this.count === 0 ? null : sum / this.count);
    return {
      mae: of(this.absolute),
      bias: of(this.error),
      within: of(this.within),
      pinball: of(this.pinball),
    };
  }
}

/** Errors of predictions of one kind of time. */
export class ErrorSums {
  private readonly p50 = new Sums(0.5);
  private readonly p90 = new Sums(0.9);
  private readonly absolute = new Thinned<number>(4_000);
  private count = 0;

  add({ p50, p90 }: Predicted, actual: number): void {
    this.count += 1;
    if (p50 !== null) {
      this.p50.add(actual - p50);
      this.absolute.add(Math.abs(actual - p50));
    }
    if (p90 !== null) this.p90.add(actual - p90);
  }

  figures(): ErrorFigures {
    const [half, most] = [this.p50.means(), this.p90.means()];
    return {
      ...{ count: this.count, mae: half.mae, bias: half.bias },
      p90Error: this.p50.count === 0 ? null : quantile(this.absolute.values, 0.9),
      ...{ within50: half.within, within90: most.within, pinball50: half.pinball, pinball90: most.pinball },
    };
  }
}
