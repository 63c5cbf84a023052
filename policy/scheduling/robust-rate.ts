/** An observation more than this factor away is an outlier, unless it goes on so. */
const outlierLog = Math.log(2);
const settledAfter = 4;
const shiftAfter = 4;
const leastGain = 0.1;
const leastRate = 1e-9;
const mostError = 10;

/**
 * A positive rate from noisy observations: an average of logarithms with equal weights at first and a tenth a new one
 * later. Once settled, outliers are left out; the fourth in a row on one side is no outlier but a new level.
 * The error is |seen − predicted| / predicted, outliers included (10 at most), averaged in the same way.
 */
export class RobustRate {
  private log = 0;
  private seen = 0;
  private weighed = 0;
  private outliers = 0;
  private error = 0;
  private bias = 0;

  get count(): number {
    return this.seen;
  }

  get value(): number {
    return Math.exp(this.log);
  }

  get meanError(): number {
    return this.error;
  }

  /** Above 0 where it takes longer than predicted. */
  get meanBias(): number {
    return this.bias;
  }

  observe(rate: number, predicted: number): void {
    this.track(rate, predicted);
    const log = Math.log(Math.max(leastRate, rate));
    if (this.isOutlier(log - this.log)) {
      if (Math.abs(this.outliers) < shiftAfter) return;
      this.weighed = 0;
    }
    this.outliers = 0;
    this.weighed += 1;
    this.log += Math.max(1 / this.weighed, leastGain) * (log - this.log);
  }

  /** Counts outliers in a row, below 0 for those on the low side. */
  private isOutlier(distance: number): boolean {
    if (this.weighed < settledAfter || Math.abs(distance) <= outlierLog) return false;
    const side = Math.sign(distance);
    this.outliers = Math.sign(this.outliers) === side ? this.outliers + side : side;
    return true;
  }

  private track(rate: number, predicted: number): void {
    this.seen += 1;
    const off = Math.min(mostError, (rate - predicted) / Math.max(leastRate, predicted));
    const gain = Math.max(1 / this.seen, leastGain);
    this.error += gain * (Math.abs(off) - this.error);
    this.bias += gain * (off - this.bias);
  }
}
