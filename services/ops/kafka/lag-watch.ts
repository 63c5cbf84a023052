import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, GroupOfTopic, OffsetsReader } from '#lib/bus/kafka';
import { topicsOf } from '#schemas/topics';
import { LagBook, type LagView } from './lag-book';

/** Topics that no group of the pipeline reads are looked at so seldom. */
const othersEvery = 5;

/** What is shown beside it must not stand still with the brokers. */
const patienceMs = 1_500;
/** So long figures hold while the brokers don't answer; older ones would be taken for those of now. */
const holdsMs = 30_000;

/** Looks at groups and topics. Nothing of it joins a group or writes to one. */
export class LagWatch {
  readonly book = new LagBook();
  private readonly reader: OffsetsReader;
  private readonly wanted: readonly string[];
  private readonly onTheWay: ReadonlySet<string>;
  private present: readonly string[] = [];
  private fault: string | null = 'not looked at yet';
  private running: Promise<void> | null = null;
  private looks = 0;
  private seenAt: number | null = null;
  private tookMs: number | null = null;

  constructor(
    private readonly bus: Pick<Bus, 'missingTopics' | 'offsetsReader'>,
    private readonly groups: readonly GroupOfTopic[],
    prefix: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.reader = bus.offsetsReader();
    const own = topicsOf(prefix);
    this.onTheWay = new Set([own.decisions, ...groups.map(({ topic }) => topic)]);
    this.wanted = [...new Set([...Object.values(own), ...this.onTheWay])];
  }

  /** Why the last look failed; null where it did not. */
  whyNot(): string | null {
    return this.fault;
  }

  /** Of the last look that was answered. */
  lookMs(): number | null {
    return this.tookMs;
  }

  /** What is still true of groups and topics; null where nothing is known, or the last look is too old. */
  holding(): LagView | null {
    return this.seenAt === null || this.now() - this.seenAt > holdsMs ? null : this.book.last;
  }

  /** Topics that nobody has made yet. */
  missing(): string[] {
    return this.wanted.filter((topic) => !this.present.includes(topic));
  }

  /** The view of now; the last one where the brokers don't answer soon. Never rejects. */
  async look(): Promise<LagView> {
    this.running ??= this.lookOnce().finally(() => (this.running = null));
    const late = sleep(patienceMs, 'late', { ref: false });
    if ((await Promise.race([this.running, late])) === 'late')
      this.fault ??= `the brokers don't answer within ${patienceMs} ms`;
    return this.book.last;
  }

  private async lookOnce(): Promise<void> {
    const startedAt = this.now();
    try {
      await this.findTopics();
      const groups = this.groups.filter(({ topic }) => this.present.includes(topic));
      const look = await this.reader.look(groups, this.topicsOfThisLook());
      this.book.saw(look, Date.now());
      this.seenAt = this.now();
      this.tookMs = this.seenAt - startedAt;
      this.fault = null;
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
    }
  }

  private topicsOfThisLook(): readonly string[] {
    if (this.looks++ % othersEvery === 0) return this.present;
    return this.present.filter((topic) => this.onTheWay.has(topic));
  }

  /** A topic that is asked for before it exists might be made by the broker. */
  private async findTopics(): Promise<void> {
    if (this.present.length === this.wanted.length) return;
    const missing = await this.bus.missingTopics(this.wanted);
    this.present = this.wanted.filter((topic) => !missing.includes(topic));
  }
}
