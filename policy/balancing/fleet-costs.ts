import { RobustRate } from '../scheduling/robust-rate';
import { BoundedMap } from './bounded-map';

/** Sizes within a factor of √2 share a rate. */
function bucketOf(size: number): number {
  return Math.round(2 * Math.log2(Math.max(1, size)));
}

const farthest = 8;

/**
 * Milliseconds a unit of size for each model and size, of a remote of slowness 1; a remote's own slowness is a factor
 * on all of them. So what one remote has shown is known of all, and one answer tells the speed of a new one.
 */
export class FleetCosts {
  private readonly rates = new BoundedMap<Map<number, RobustRate>>();

  constructor(private readonly priorMsPerUnit: number) {}

  serviceMs(model: string, size: number): number {
    return size * this.rateOf(model, bucketOf(size));
  }

  isKnown(model: string, size: number): boolean {
    return this.rates.get(model)?.has(bucketOf(size)) ?? false;
  }

  observe(model: string, size: number, tookMs: number): void {
    const bucket = bucketOf(size);
    const predicted = this.rateOf(model, bucket);
    let ofModel = this.rates.get(model);
    if (ofModel === undefined) this.rates.set(model, (ofModel = new Map()));
    let rate = ofModel.get(bucket);
    if (rate === undefined) ofModel.set(bucket, (rate = new RobustRate()));
    rate.observe(tookMs / size, predicted);
  }

  private rateOf(model: string, bucket: number): number {
    const ofModel = this.rates.get(model);
    if (ofModel === undefined) return this.priorMsPerUnit;
    for (let away = 0; away <= farthest; away += 1) {
      const near = ofModel.get(bucket + away) ?? ofModel.get(bucket - away);
      if (near !== undefined) return near.value;
    }
    return ofModel.values().next().value!.value;
  }
}
