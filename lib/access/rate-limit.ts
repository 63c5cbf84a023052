/** Counts in thousandths of an event, so that whole numbers stay whole. */
const one = 1_000;

/** Tokens that come back steadily; the time is the caller's, in milliseconds of any clock that only goes on. */
class Bucket {
  constructor(
    private credit: number,
    private at: number,
  ) {}

  /** 0 when they were taken, else after how many milliseconds they are there. */
  take(count: number, { perSecond, burst }: RateLimitOptions, now: number): number {
    this.credit = Math.min(burst * one, this.credit + Math.max(0, now - this.at) * perSecond);
    this.at = now;
    const lacking = count * one - this.credit;
    if (lacking > 0) return Math.ceil(lacking / perSecond);
    this.credit -= count * one;
    return 0;
  }
}

export interface RateLimitOptions {
  readonly perSecond: number;
  /** Of a caller who was quiet. */
  readonly burst: number;
}

/**
 * So many events a second of each name. Of more than `mostNames` the one that was not heard of for longest is
 * forgotten, so memory is bounded whoever calls.
 */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly mostNames = 10_000) {}

  /** 0 when it may be, else after how many milliseconds. */
  take(name: string, options: RateLimitOptions, now: number, count = 1): number {
    const bucket = this.buckets.get(name) ?? new Bucket(options.burst * one, now);
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    if (this.buckets.size > this.mostNames) this.buckets.delete(this.buckets.keys().next().value!);
    return bucket.take(count, options, now);
  }
}
