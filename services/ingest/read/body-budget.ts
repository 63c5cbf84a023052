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

  /** `onRefused` hears of each refusal, with the bytes that are in work then. */
  constructor(
    private readonly limit: number,
    private readonly onRefused: (bytesInWork: number) => void = () => undefined,
  ) {}

  static ofBodies(maxBodyBytes: number, onRefused: (bytesInWork: number) => void): BodyBudget {
    return new BodyBudget(GREATEST_AT_ONCE * maxBodyBytes, onRefused);
  }

  get inWork(): number {
    return this.taken;
  }

  /** With a share for one body, which is held until the work is done. */
  async within<T>(work: (share: BodyShare) => Promise<T>): Promise<T> {
    const share = this.open();
    try {
      return await work(share);
    } finally {
      share.release();
    }
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
        this.onRefused(this.taken);
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
  /** The error of a body that got no share; whoever hears of refusals is told. */
  refusal(): RoundhouseError;
}
