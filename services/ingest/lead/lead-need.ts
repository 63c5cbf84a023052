import type { SendOptions } from '#lib/bus/port';
import { FaultList } from '#policy/validation/fault-list';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { RecentTimes } from './recent-times';

/** What of a round is still to be put on Kafka. */
export type Unsent = 'shards' | 'manifest';

/** A close that took longer was held up by an outage, which is not to cost other rounds more. */
const MOST_CLOSING_MS = 1_000;
/** Nothing but a wrong header says that a close took so long. */
const NO_CLOSE_MS = 600_000;

/**
 * The time that a round needs to be decided by its deadline: a floor for what happens where all is well, and what
 * sending took of late here and closing took of late at the aggregator. Rounds with less are refused, so that under
 * too much load fewer are accepted instead of more being late.
 */
export class LeadNeed {
  private readonly sending: Readonly<Record<Unsent, RecentTimes>>;
  private readonly closing: RecentTimes;

  constructor(
    private readonly floorMs: number,
    private readonly now: () => number = Date.now,
  ) {
    this.sending = { shards: new RecentTimes(now), manifest: new RecentTimes(now) };
    this.closing = new RecentTimes(now);
  }

  /** Rejects with INGEST_BUSY where the round's time ran out before the sending began, else as that does. */
  async inTime(deadline: UnixMs, what: Unsent, send: (options: SendOptions) => Promise<void>): Promise<void> {
    const ended = this.sending[what].begins();
    try {
      await send({ beginBy: this.beginBy(deadline, what) });
    } catch (error) {
      const isLate = error instanceof RoundhouseError && error.code === 'DEADLINE_EXCEEDED';
      throw isLate ? this.refusal(deadline, what) : error;
    } finally {
      ended();
    }
  }

  /** A decision came; both in Unix ms. */
  decided(closedAt: number, appendedAt: number): void {
    const took = appendedAt - closedAt;
    if (took < NO_CLOSE_MS) this.closing.took(Math.min(MOST_CLOSING_MS, took), appendedAt);
  }

  sendingMs(unsent: Unsent): number {
    const manifest = this.sending.manifest.ms();
    return Math.ceil(unsent === 'shards' ? this.sending.shards.ms() + manifest : manifest);
  }

  closingMs(): number {
    return Math.ceil(this.closing.ms());
  }

  neededMs(unsent: Unsent): number {
    return this.floorMs + this.sendingMs(unsent) + this.closingMs();
  }

  /** When the sending has to begin: nothing of it is learned while it waits. */
  beginBy(deadline: UnixMs, unsent: Unsent): UnixMs {
    const after = unsent === 'shards' ? this.sendingMs('manifest') : 0;
    return (deadline - this.floorMs - after - this.closingMs()) as UnixMs;
  }

  /** Throws INGEST_BUSY where a round can't be decided in time at present. */
  require(deadline: UnixMs, unsent: Unsent): void {
    if (deadline - this.now() < this.neededMs(unsent)) throw this.refusal(deadline, unsent);
  }

  refusal(deadline: UnixMs, unsent: Unsent): RoundhouseError {
    const [sending, closing, now] = [this.sendingMs(unsent), this.closingMs(), this.now()];
    const needed = this.floorMs + sending + closing;
    const faults = new FaultList();
    faults.add('deadline', deadline, `at least ${needed} ms after now (${now})`);
    return new RoundhouseError(
      'INGEST_BUSY',
      `the deadline ${inWords(deadline - now)}, and a round needs ${needed} ms at present: ${this.floorMs} at least, ` +
        `${sending} until it is on Kafka, ${closing} from its close to its decision`,
      faults.listed,
    );
  }
}

const inWords = (ms: number): string => (ms < 0 ? `was ${-ms} ms ago` : `is ${ms} ms away`);
