import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, GroupOfTopic, OffsetsReader } from '#lib/bus/kafka';
import { topicsOf } from '#schemas/topics';
import { LagBook, type LagView } from './lag-book';

/** What is shown beside it must not stand still with the brokers. */
const patienceMs = 1_500;

/** Looks at groups and topics. Nothing of it joins a group or writes to one. */
export class LagWatch {
  readonly book = new LagBook();
  private readonly reader: OffsetsReader;
  private readonly wanted: readonly string[];
  private present: readonly string[] = [];
  private fault: string | null = 'not looked at yet';
  private running: Promise<void> | null = null;

  constructor(
    private readonly bus: Pick<Bus, 'missingTopics' | 'offsetsReader'>,
    private readonly groups: readonly GroupOfTopic[],
    prefix: string,
  ) {
    this.reader = bus.offsetsReader();
    const topics = [...Object.values(topicsOf(prefix)), ...groups.map(({ topic }) => topic)];
    this.wanted = [...new Set(topics)];
  }

  /** Why the last look failed; null where it did not. */
  whyNot(): string | null {
    return this.fault;
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
    try {
      await this.findTopics();
      const groups = this.groups.filter(({ topic }) => this.present.includes(topic));
      const look = await this.reader.look(groups, this.present);
      this.book.saw(look, Date.now());
      this.fault = null;
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
    }
  }

  /** A topic that is asked for before it exists might be made by the broker. */
  private async findTopics(): Promise<void> {
    if (this.present.length === this.wanted.length) return;
    const missing = await this.bus.missingTopics(this.wanted);
    this.present = this.wanted.filter((topic) => !missing.includes(topic));
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}
