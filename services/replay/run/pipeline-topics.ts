import type { Bus } from '#lib/bus/kafka';
import type { BusProducer, OutgoingMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import { decisionsCodec, outcomesCodec, roundsCodec, shardsCodec } from '#schemas/codec';
import type { Decision, RoundKey, RoundManifest, Shard, ShardOutcome } from '#schemas/domain';
import { headers, roundKey, shardKey, zoneKey, type Topics } from '#schemas/topics';

export interface PublishedDecision {
  readonly decision: Decision;
  /** The broker's append time. */
  readonly appendedAt: UnixMs;
}

interface Awaited {
  readonly outcomes: Set<number>;
  onOutcome(): void;
  onDecision(decision: PublishedDecision): void;
}

/** A promise that gives up: null after the time. */
function within<T>(timeoutMs: number, begin: (resolve: (value: T) => void) => void): Promise<T | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs);
    begin((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

/** The topics of a pipeline as ingest and a producer see them: rounds go in, decisions come out. */
export class PipelineTopics {
  private readonly awaited = new Map<string, Awaited>();
  readonly deviceKinds = new Set<string>();

  private constructor(
    private readonly producer: BusProducer,
    private readonly topics: Topics,
  ) {}

  static async open(bus: Bus, topics: Topics): Promise<PipelineTopics> {
    const opened = new PipelineTopics(await bus.producer(), topics);
    await bus.followTopic({
      topic: topics.outcomes,
      from: 'latest',
      handle: ({ key, value }) => opened.outcomeCame(key, value),
    });
    await bus.followTopic({
      topic: topics.decisions,
      from: 'latest',
      handle: ({ value, timestamp }) => opened.decisionCame(value, timestamp),
    });
    return opened;
  }

  private outcomeCame(key: Buffer | null, value: Buffer | null): void {
    const awaited = this.awaited.get(key?.toString() ?? '');
    if (awaited === undefined || value === null) return;
    const { shardIndex, deviceKind } = outcomesCodec.decode(value);
    if (deviceKind !== '') this.deviceKinds.add(deviceKind);
    awaited.outcomes.add(shardIndex);
    awaited.onOutcome();
  }

  private decisionCame(value: Buffer | null, appendedAt: UnixMs): void {
    if (value === null) return;
    const decision = decisionsCodec.decode(value);
    this.awaited.get(roundKey(decision))?.onDecision({ decision, appendedAt });
  }

  /** From now on, until its `end`, what comes of the round is noticed. */
  await(round: RoundKey): AwaitedRound {
    const key = roundKey(round);
    const awaited = new AwaitedRound(() => this.awaited.delete(key));
    this.awaited.set(key, awaited);
    return awaited;
  }

  async sendShards(shards: readonly Shard[], outcomes: readonly ShardOutcome[]): Promise<void> {
    const messages: OutgoingMessage[] = [
      ...shards.map((shard) => ({
        topic: this.topics.shards,
        key: shardKey(shard),
        value: shardsCodec.encode(shard),
      })),
      ...outcomes.map((outcome) => ({
        topic: this.topics.outcomes,
        key: roundKey(outcome),
        value: outcomesCodec.encode(outcome),
      })),
    ];
    if (messages.length > 0) await this.producer.send(messages);
  }

  async sendManifest(manifest: RoundManifest): Promise<void> {
    const key = zoneKey(manifest.round.tenantId, manifest.round.zoneId);
    const value = roundsCodec.encode(manifest);
    const sent = { [headers.receivedAt]: String(Date.now()) };
    await this.producer.send([{ topic: this.topics.rounds, key, value, headers: sent }]);
  }
}

export class AwaitedRound implements Awaited {
  readonly outcomes = new Set<number>();
  private decision: PublishedDecision | null = null;
  private listeners: (() => void)[] = [];

  constructor(readonly end: () => void) {}

  onOutcome(): void {
    this.listeners.forEach((listener) => listener());
  }

  /** The first one counts. */
  onDecision(decision: PublishedDecision): void {
    this.decision ??= decision;
    this.listeners.forEach((listener) => listener());
  }

  private until<T>(timeoutMs: number, found: () => T | null): Promise<T | null> {
    return within<T>(timeoutMs, (resolve) => {
      const look = (): void => {
        const value = found();
        if (value !== null) resolve(value);
      };
      this.listeners.push(look);
      look();
    });
  }

  /** null where they don't all come in time. */
  outcomesOf(shards: readonly Shard[], timeoutMs: number): Promise<true | null> {
    return this.until(timeoutMs, () =>
      shards.every(({ shardIndex }) => this.outcomes.has(shardIndex)) ? true : null,
    );
  }

  decisionWithin(timeoutMs: number): Promise<PublishedDecision | null> {
    return this.until(timeoutMs, () => this.decision);
  }
}
