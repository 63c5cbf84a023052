import { randomBytes } from 'node:crypto';

export const tokenBytes = 32;
export const keyBytes = 16;

export interface Admission {
  /** Shown once, as the greeting of the UCX connection. */
  readonly token: Buffer;
  /** Begins every message of that connection, in both directions. */
  readonly key: Buffer;
}

const mostOutstanding = 1_024;

/** One-time tokens: what a handshake over gRPC gives, a connection over UCX has to show within `validMs`. */
export class PeerTokens {
  /** By the token in hex, oldest first. */
  private readonly outstanding = new Map<string, { readonly key: Buffer; readonly until: number }>();

  constructor(
    private readonly validMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get count(): number {
    return this.outstanding.size;
  }

  /** Past a thousand that nobody has shown, the oldest one is worth nothing any more. */
  issue(): Admission {
    this.forgetLate();
    if (this.outstanding.size >= mostOutstanding) {
      this.outstanding.delete(this.outstanding.keys().next().value!);
    }
    const token = randomBytes(tokenBytes);
    const key = randomBytes(keyBytes);
    this.outstanding.set(token.toString('hex'), { key, until: this.now() + this.validMs });
    return { token, key };
  }

  /** The key that goes with it; null for one that was never issued, is too old, or was shown before. */
  take(token: Uint8Array): Buffer | null {
    this.forgetLate();
    const name = Buffer.from(token).toString('hex');
    const found = this.outstanding.get(name);
    this.outstanding.delete(name);
    return found?.key ?? null;
  }

  private forgetLate(): void {
    const now = this.now();
    for (const [name, { until }] of this.outstanding) {
      if (until > now) return;
      this.outstanding.delete(name);
    }
  }
}
