import { RoundhouseError } from '#schemas/errors';

/** Bodies of the greatest length that are in work at once. */
const GREATEST_AT_ONCE = 2;

/**
 * The bytes of bodies in work at once, over HTTP from their first chunk and over gRPC from their last to their answer:
 * what is parsed from them takes many times as much memory. Only bytes that came count, so that announcing many blocks
 * nobody.
 */
export class BodyBudget {
  private taken = 0;

  constructor(private readonly limit: number) {}

  static ofBodies(maxBodyBytes: number): BodyBudget {
    return new BodyBudget(GREATEST_AT_ONCE * maxBodyBytes);
  }

  get inWork(): number {
    return this.taken;
  }

  open(): BodyShare {
    let own = 0;
    return {
      take: (bytes) => {
        if (this.taken + bytes > this.limit) return false;
        this.taken += bytes;
        own += bytes;
        return true;
      },
      release: () => {
        this.taken -= own;
        own = 0;
      },
      refusal: () => {
        const message = `bodies of ${this.limit} bytes are in work at once, the limit: send it again`;
        return new RoundhouseError('INGEST_BUSY', message);
      },
    };
  }
}

export interface BodyShare {
  /** False where they are too many now. */
  take(bytes: number): boolean;
  release(): void;
  refusal(): RoundhouseError;
}
