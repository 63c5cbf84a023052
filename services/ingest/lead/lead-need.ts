import type { SendOptions } from '#lib/bus/port';
import { RecentTimes } from '#lib/recent-times';
import { FaultList } from '#policy/validation/fault-list';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import type { Phases } from '#schemas/phases';

/** What of a round is still to be put on Kafka. */
export type Unsent = 'shards' | 'manifest';

/** A close that took longer was held up by an outage, which is not to cost other rounds more. */
const MOST_CLOSING_MS = 1_000;
/** What an aggregator that stood still took late says nothing of the load. */
const MOST_TAKING_MS = 500;
/** Nothing but a wrong header says that something took so long. */
const NO_TIME_MS = 600_000;
/** Rounds are refused for so long after the last that came late; then one shows whether it is better. */
const LATE_COUNTS_MS = 1_000;

/** Of a decision on Kafka; Unix ms, NaN where a header is absent. */
export interface DecisionTimes {
  readonly receivedAt: number;
  readonly closedAt: number;
  readonly appendedAt: number;
  /** Of the aggregator. */
  readonly phases: Phases;
  readonly deadline: number;
  readonly outage: string | undefined;
}

/**
 * The time that a round needs to be decided by its deadline: a floor for what happens where all is well, and what
 * sending took of late here, and what taking a round in, claiming and sending its decision took of late at the aggregator, but not what
 * rounds wait there for their turn: waiting costs them plans, not their deadline. Rounds with less are refused, so that under
 * too much load fewer are accepted instead of more being late.
 */
export class LeadNeed {
  private readonly sending: Readonly<Record<Unsent, RecentTimes>>;
  private readonly closing: RecentTimes;
  /** Whole ways of rounds that were decided late. */
  private readonly late: RecentTimes;

  constructor(
    private readonly floorMs: number,
    private readonly now: () => number = Date.now,
  ) {
    this.sending = { shards: new RecentTimes(now), manifest: new RecentTimes(now) };
    this.closing = new RecentTimes(now);
    this.late = new RecentTimes(now, LATE_COUNTS_MS);
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

  decided({ receivedAt, closedAt, appendedAt, phases, deadline, outage }: DecisionTimes): void {
    const taking = Math.min(MOST_TAKING_MS, phases['take'] ?? 0);
    const closing = taking + (phases['claim'] ?? 0) + appendedAt - closedAt;
    if (closing < NO_TIME_MS) this.closing.took(Math.min(MOST_CLOSING_MS, closing), appendedAt);
    // A broker that is slow at times is a part of the load; other outages are over.
    const isLoad = appendedAt > deadline && (outage === undefined || outage === 'kafka');
    const whole = appendedAt - receivedAt;
    if (isLoad && whole < NO_TIME_MS) this.late.took(whole, appendedAt);
  }

  sendingMs(unsent: Unsent): number {
    const manifest = this.sending.manifest.ms();
    return Math.ceil(unsent === 'shards' ? this.sending.shards.ms() + manifest : manifest);
  }

  closingMs(): number {
    return Math.ceil(this.closing.ms());
  }

  neededMs(unsent: Unsent): number {
    const needed = this.floorMs + this.sendingMs(unsent) + this.closingMs();
    return unsent === 'shards' ? Math.max(needed, Math.ceil(this.late.ms())) : needed;
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
    const [needed, now] = [this.neededMs(unsent), this.now()];
    const faults = new FaultList();
    faults.add('deadline', deadline, `at least ${needed} ms after now (${now})`);
    const left = inWords(deadline - now);
    const message = `the deadline ${left}, and a round needs ${needed} ms at present: ${this.reason(unsent, needed)}`;
    return new RoundhouseError('INGEST_BUSY', message, faults.listed);
  }

  private reason(unsent: Unsent, needed: number): string {
    const [sending, closing] = [this.sendingMs(unsent), this.closingMs()];
    if (needed > this.floorMs + sending + closing) return 'rounds that took as long were late just now';
    return `${this.floorMs} at least, ${sending} until it is on Kafka, ${closing} from there to its decision`;
  }
}

const inWords = (ms: number): string => (ms < 0 ? `was ${-ms} ms ago` : `is ${ms} ms away`);
