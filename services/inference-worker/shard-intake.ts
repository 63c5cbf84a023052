import type { WindowedConsumer } from '#lib/bus/port';

/**
 * The worker's membership of its consumer group: joined while it takes shards, left while others are to do
 * its part. Joins and leaves that come while one is under way are done in turn, the last wish only.
 */
export class ShardIntake {
  private consumer: WindowedConsumer | null = null;
  private wanted = false;
  private stopped = false;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly makeConsumer: () => WindowedConsumer,
    private readonly onFatal: (error: Error) => void,
  ) {}

  /** Never rejects: a group that can't be joined, or left, is `onFatal`'s. */
  join(): Promise<void> {
    return this.want(true);
  }

  /** Partitions go to others; shards in work are not committed. */
  leave(): Promise<void> {
    return this.want(false);
  }

  whyNotReady(): string | null {
    if (this.consumer !== null) return this.consumer.whyNotReady();
    return this.wanted
      ? 'the consumer group has not been joined'
      : 'its partitions are left to other workers';
  }

  private want(joined: boolean): Promise<void> {
    this.wanted = joined;
    this.work = this.work.then(() => this.follow()).catch((error: unknown) => this.failed(error));
    return this.work;
  }

  private async follow(): Promise<void> {
    if (this.wanted && !this.stopped && this.consumer === null) {
      this.consumer = this.makeConsumer();
      await this.consumer.start();
    }
    if (!this.wanted && this.consumer !== null) {
      const { consumer } = this;
      this.consumer = null;
      await consumer.stop();
    }
  }

  private failed(error: unknown): void {
    if (!this.stopped) this.onFatal(error instanceof Error ? error : new Error(String(error)));
  }

  async idle(timeoutMs: number): Promise<void> {
    await this.consumer?.idle(timeoutMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.consumer?.stop();
    await this.work;
  }
}
