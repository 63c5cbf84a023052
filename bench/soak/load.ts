import { setTimeout as sleep } from 'node:timers/promises';
import { connectEngine } from '#lib/engine-client/grpc';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import type { UnixMs } from '#schemas/brands';
import { scrape } from '../drill/metrics';
import { Sender } from '../drill/rounds/sender';
import type { Stand } from '../drill/stand/stand';

/** Every so many rounds one of this size, with so long to its deadline; small ones else. */
const sizes = [
  {
    every: 40,
    deadlineMs: 12_000,
    shape: { seed: 3, couriers: 90, orders: 120, candidates: 8_000, policy: {} },
  },
  {
    every: 8,
    deadlineMs: 8_000,
    shape: { seed: 5, couriers: 40, orders: 50, candidates: 1_500, policy: {} },
  },
] as const;
const smallDeadlinesMs = [3_000, 5_000, 8_000];

export interface RequestCounts {
  readonly answered: number;
  /** By code. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Rounds, and everything else that a pipeline gets, until it is stopped. */
export class MixedLoad {
  readonly sender: Sender;
  private isStopped = false;
  private answered = 0;
  private readonly failed: Record<string, number> = {};
  private readonly parts: Promise<void>[];
  private readonly large = sizes.map(({ shape }) => cityRounds(shape, 1)[0]!);

  constructor(
    private readonly stand: Stand,
    roundsPerSecond: number,
    name: string,
  ) {
    this.sender = new Sender(stand.pipeline.ingestUrl, name);
    this.parts = [
      this.repeat(1_000 / roundsPerSecond, (i) => this.sendRound(i)),
      this.repeat(250, () => this.askModel()),
      this.repeat(60_000, () => this.reload()),
      this.repeat(10_000, (i) => this.sendHostile(i)),
      this.repeat(5_000, () => this.scrapeAll()),
    ];
  }

  get requests(): RequestCounts {
    return { answered: this.answered, failed: this.failed };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.parts);
    await this.sender.stop();
  }

  /** Whatever a part meets in a fault is counted and no end of it. */
  private async repeat(everyMs: number, part: (i: number) => Promise<void> | void): Promise<void> {
    for (let i = 1; !this.isStopped; i++) {
      const next = sleep(everyMs);
      void Promise.resolve(part(i)).catch((error: Error & { code?: string }) => {
        const code = error.code ?? 'other';
        this.failed[code] = (this.failed[code] ?? 0) + 1;
      });
      await Promise.race([next, this.ended(everyMs)]);
    }
  }

  /** Sooner than a long pause. */
  private async ended(withinMs: number): Promise<void> {
    for (const until = Date.now() + withinMs; !this.isStopped && Date.now() < until; await sleep(200));
  }

  private sendRound(i: number): void {
    const index = sizes.findIndex(({ every }) => i % every === 0);
    if (index < 0) return void this.sender.send(smallDeadlinesMs[i % smallDeadlinesMs.length]!);
    const { couriers, orders, policy, asOf } = this.large[index]!;
    void this.sender.send(sizes[index]!.deadlineMs, { couriers, orders, policy, asOf });
  }

  private async askModel(): Promise<void> {
    const client = connectEngine({ address: this.stand.pipeline.workerGrpc });
    const inputs = [
      { name: 'IN', datatype: 'UINT8' as const, shape: [65_536], data: Buffer.alloc(65_536, 1) },
    ];
    const request = { model: 'fault_injection', version: '', requestId: 'soak', inputs };
    try {
      await client.infer(request, (Date.now() + 5_000) as UnixMs);
      this.answered += 1;
    } finally {
      await client.close();
    }
  }

  private async reload(): Promise<void> {
    const client = connectEngine({ address: this.stand.pipeline.workerGrpc });
    await client.loadModel('delivery_time').finally(() => client.close());
  }

  private async sendHostile(i: number): Promise<void> {
    const producer = await this.stand.bus.producer({ deliveryTimeoutMs: 5_000 });
    const topic = [this.stand.topics.shards, this.stand.topics.rounds, this.stand.topics.outcomes][i % 3]!;
    await producer
      .send([{ topic, key: `hostile-${i}`, value: Buffer.alloc(100 + (i % 50), i % 256) }])
      .finally(() => producer.close());
  }

  private async scrapeAll(): Promise<void> {
    await Promise.all(
      ['ingest', 'worker', 'aggregator'].map((name) => scrape(this.stand.url(name, '/metrics'))),
    );
  }
}
