import type { PackedTable } from '#policy/candidates/index';
import type { PartAnswer, PartJob, SharedBody } from './part-thread';

/** As JobThread has it. */
export interface PartPort {
  start(): unknown;
  ask(job: PartJob): Promise<PartAnswer>;
}

/** What other threads do for a round. */
export interface BegunParts {
  /** Null where they could not. */
  readonly contentHash: Promise<string | null>;
  /** All parts of the offers but the last, which is left to the caller; null for one that failed. */
  readonly offers: readonly Promise<PackedTable | null>[];
  /** Parts in all. */
  readonly of: number;
  readonly maxCandidates: number;
}

/** The part in work, and three behind it: bodies with faults are done sooner by the caller than by its threads. */
const MOST_PENDING = 4;

/** The threads that share the work on a round: the first hashes its content, the others offer parts of its bundles. */
export class RoundParts {
  /** The last job of each thread while it is in work. */
  private readonly last: (Promise<unknown> | null)[];
  /** Jobs of each thread that have no answer yet; each holds a body. */
  private readonly pending: number[];

  constructor(
    private readonly threads: readonly PartPort[],
    private readonly maxCandidates: number,
  ) {
    this.last = threads.map(() => null);
    this.pending = threads.map(() => 0);
  }

  start(): void {
    for (const thread of this.threads) thread.start();
  }

  /** Null where there are no threads for it. */
  begin(bytes: Uint8Array, rest: Omit<SharedBody, 'bytes'>): BegunParts | null {
    if (this.threads.length < 2) return null;
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
    shared.set(bytes);
    const body = { ...rest, bytes: shared };
    const { maxCandidates } = this;
    const of = this.threads.length;
    const hash = this.inTurn(0, { ...body, kind: 'hash' });
    const offers = this.threads
      .slice(1)
      .map((_, part) => this.inTurn(1 + part, { ...body, kind: 'offers', maxCandidates, part, of }));
    return {
      contentHash: hash.then((answer) => answer?.contentHash ?? null),
      offers: offers.map((answer) => answer.then((given) => given?.offers ?? null)),
      of,
      maxCandidates,
    };
  }

  /**
   * An idle thread is asked at once: the caller computes from here on, and a promise would wait for it. Bodies that
   * come faster than a thread does its parts don't pile up: beyond `MOST_PENDING` the part is the caller's.
   */
  private inTurn(thread: number, job: PartJob): Promise<PartAnswer | null> {
    if (this.pending[thread]! >= MOST_PENDING) return Promise.resolve(null);
    this.pending[thread]! += 1;
    const ask = () => this.threads[thread]!.ask(job);
    const before = this.last[thread]!;
    const turn = (before === null ? ask() : before.then(ask)).catch(() => null);
    this.last[thread] = turn;
    void turn.then(() => {
      this.pending[thread]! -= 1;
      if (this.last[thread] === turn) this.last[thread] = null;
    });
    return turn;
  }
}

const CORES_FOR_PARTS = 8;
const MANY_CORES = 16;

/** Threads that share the work on a round beside the one that leads, on a machine of so many cores. */
export function partThreads(cores: number): number {
  if (cores < CORES_FOR_PARTS) return 0;
  return cores < MANY_CORES ? 3 : 4;
}
