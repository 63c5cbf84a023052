import { RoundhouseError } from '#schemas/errors';
import { QuotaExceeded } from '#lib/access/quota-exceeded';

/** Of a stream that is refused: others close at any time, so this is only a pause. */
const againMs = 1_000;

export interface ReaderPlacesOptions {
  /** As it is said in an answer: `decision streams`. */
  readonly what: string;
  /** Of all tenants together. */
  readonly most: number;
  /** What its quota says; null: a quarter of all. */
  quotaOf(tenant: string): number | null;
  onRefused(reason: 'tenant' | 'all'): void;
}

/** How many may wait for decisions at once, so that no tenant takes the places of the others. Each ingest counts its own. */
export class ReaderPlaces {
  private readonly taken = new Map<string, number>();
  private all = 0;

  constructor(private readonly options: ReaderPlacesOptions) {}

  get open(): number {
    return this.all;
  }

  /** Throws QUOTA_EXCEEDED or INGEST_BUSY; what comes back leaves the place, once however often it is called. */
  enter(tenant: string): () => void {
    const { what, most, quotaOf, onRefused } = this.options;
    const own = this.taken.get(tenant) ?? 0;
    const limit = quotaOf(tenant) ?? Math.ceil(most / 4);
    if (own >= limit) {
      onRefused('tenant');
      throw new QuotaExceeded(`${limit} ${what} at once`, againMs);
    }
    if (this.all >= most) {
      onRefused('all');
      throw new RoundhouseError(
        'INGEST_BUSY',
        `${most} ${what} are open, the limit: try again, or elsewhere`,
      );
    }
    this.taken.set(tenant, own + 1);
    this.all += 1;
    return this.leaver(tenant);
  }

  private leaver(tenant: string): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.all -= 1;
      const left = this.taken.get(tenant)! - 1;
      if (left === 0) this.taken.delete(tenant);
      else this.taken.set(tenant, left);
    };
  }
}
