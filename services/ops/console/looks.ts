import type { Logger } from '#lib/telemetry';
import type { Target } from '../config';
import type { LagWatch } from '../kafka/lag-watch';
import { Farewells } from '../scrape/farewells';
import { TextFetcher } from '../scrape/fetch-text';
import { findInstances } from '../scrape/instances';
import { scrapeService } from '../scrape/scrape-service';
import type { Seen } from './console-state';

interface LooksParts {
  readonly lag: Pick<LagWatch, 'look' | 'lookMs' | 'missing' | 'whyNot'>;
  readonly targets: readonly Target[];
  /** From the beginning of a look to that of the next one. */
  readonly paceMs: () => number;
  readonly logger: Logger;
  onSeen(seen: Seen): void;
}

const LEAST_PAUSE_MS = 50;

/** Looks at brokers and services again and again, each look after the one before it has ended. */
export class Looks {
  private readonly fetcher = new TextFetcher();
  private readonly farewells = new Farewells();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(private readonly parts: LooksParts) {}

  start(): void {
    if (this.isOver) return;
    this.timer = null;
    this.running = this.look();
  }

  private async look(): Promise<void> {
    const startedAt = performance.now();
    try {
      this.parts.onSeen(await this.see());
    } catch (error) {
      this.parts.logger.error({ event: 'LookFailed', error });
    }
    if (this.isOver) return;
    const leftMs = this.parts.paceMs() - (performance.now() - startedAt);
    this.timer = setTimeout(() => this.start(), Math.max(LEAST_PAUSE_MS, leftMs));
  }

  /** Somebody begins to watch: what is shown must not be old. */
  soon(): void {
    if (this.timer === null || this.isOver) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), LEAST_PAUSE_MS);
  }

  private async see(): Promise<Seen> {
    const { lag, targets } = this.parts;
    const [seenLag, services] = await Promise.all([lag.look(), this.scrape(targets)]);
    const missingTopics = lag.missing();
    const [kafkaFault, kafkaLookMs] = [lag.whyNot(), lag.lookMs()];
    return { at: Date.now(), lag: seenLag, services, kafkaFault, kafkaLookMs, missingTopics };
  }

  private async scrape(targets: readonly Target[]): Promise<Seen['services']> {
    const instances = await findInstances(targets);
    this.farewells.keep(instances);
    const looks = await Promise.all(instances.map((instance) => scrapeService(this.fetcher, instance)));
    const present = looks.filter(({ fault }) => fault === null).map(({ instance }) => instance);
    if (!this.isOver) this.farewells.listen(present);
    return looks.map((look) => ({ ...look, farewell: this.farewells.of(look.instance) }));
  }

  async close(): Promise<void> {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
    this.farewells.close();
    this.fetcher.close();
  }
}
