import type { RoundManifest, ShardOutcome } from '#schemas/domain';
import type { UnixMs } from '#schemas/brands';
import type { RoundhouseError } from '#schemas/errors';
import type { Phases } from '#schemas/phases';
import type { QueuedDecision } from '#policy/join/decision-queue';
import type { RoundSpan } from './round-span';
import type { RoundToStore } from '../store/join-store';
import { outcomeFault } from '#policy/join/read-outcome';

/** What the decision's headers take over from the round's message; stored beside the manifest as JSON. */
export interface RoundMeta {
  /** Append time of the manifest: the round's acceptance. */
  readonly acceptedAt: UnixMs;
  readonly traceparent: string | null;
  readonly tracestate?: string;
  readonly receivedAt: string | null;
}

export type OutcomeUse = 'used' | 'repeated' | 'invalid' | 'after_close';

export interface OpenRoundParts {
  readonly key: string;
  readonly manifest: RoundManifest;
  readonly manifestBytes: Buffer;
  readonly manifestHash: string;
  readonly meta: RoundMeta;
  /** When closing begins at the latest. */
  readonly closeAt: UnixMs;
  /** False where another instance may own the round (backup job, a partition that went elsewhere). */
  isOwned(): boolean;
  /** Of the rounds' topic; absent where the round did not come from it (backup job). */
  readonly partition?: number;
  /** The partition came to this instance after the round had been accepted. */
  readonly cameLate: boolean;
  /** Absent: the trace is only passed on. */
  readonly span?: RoundSpan;
}

/** A round in memory between its manifest and the acknowledgement of its decision. */
export class OpenRound {
  /** `entering`: Redis doesn't know it yet; outcomes are taken, but it is not closed. */
  state: 'entering' | 'open' | 'closing' | 'done' = 'entering';
  /** What stands in the outbox, once it does; put back into a Redis that lost it. */
  decision: Buffer | null = null;
  /** What it took from its manifest's append until it could be closed here; empty where others held it until then. */
  taking: Phases = {};
  /** Outcomes of the Redis list that have been looked at. */
  pulled = 0;
  /** Dead letters on their way, for which the round's offset waits. */
  readonly owed: Promise<void>[] = [];
  /** Resolves when the decision is acknowledged; to the reason where there never will be one. */
  readonly isDone: Promise<RoundhouseError | null>;
  /** Resolves when the round no longer holds back newer ones of its zone. */
  readonly hasLeft: Promise<void>;
  /** Of its tenant and run. */
  readonly zone: string;
  leave!: () => void;
  private finish!: (abandoned: RoundhouseError | null) => void;
  private readonly valid = new Map<number, ShardOutcome>();
  private readonly invalid = new Map<number, ShardOutcome>();
  private readonly raw: Buffer[] = [];

  constructor(readonly parts: OpenRoundParts) {
    this.isDone = new Promise((resolve) => (this.finish = resolve));
    this.hasLeft = new Promise((resolve) => (this.leave = resolve));
    const { tenantId, runId, zoneId } = parts.manifest.round;
    this.zone = [tenantId, runId, zoneId].join('\u001f');
  }

  get key(): string {
    return this.parts.key;
  }
  get round(): RoundManifest['round'] {
    return this.parts.manifest.round;
  }

  /** Redis knows it: it may be closed. */
  taken(): void {
    this.state = 'open';
    const { cameLate, meta } = this.parts;
    if (!cameLate && this.parts.isOwned()) this.taking = { take: Math.max(0, Date.now() - meta.acceptedAt) };
  }

  /** The first valid outcome of a shard is used; until then an invalid one counts as failed. */
  add(outcome: ShardOutcome, bytes: Buffer): { readonly use: OutcomeUse; readonly fault: string | null } {
    if (this.state === 'closing' || this.state === 'done') return { use: 'after_close', fault: null };
    const fault = outcomeFault(this.parts.manifest, outcome);
    const { shardIndex } = outcome;
    if (fault !== null) {
      if (!this.invalid.has(shardIndex)) this.invalid.set(shardIndex, outcome);
      return { use: 'invalid', fault };
    }
    if (this.valid.has(shardIndex)) return { use: 'repeated', fault };
    this.valid.set(shardIndex, outcome);
    this.raw.push(bytes);
    return { use: 'used', fault };
  }

  /** Were these bytes taken into use already? */
  uses(bytes: Buffer): boolean {
    return this.raw.some((known) => known.equals(bytes));
  }

  /** Every shard has a valid outcome, solved or not. After an invalid one a valid one is waited for until the close. */
  isComplete(): boolean {
    return this.valid.size >= this.parts.manifest.shardCount;
  }

  /** Those in use, by shard. */
  validOutcomes(): ReadonlyMap<number, ShardOutcome> {
    return this.valid;
  }

  /** With those that count as failed. */
  outcomes(): ReadonlyMap<number, ShardOutcome> {
    const { shardCount } = this.parts.manifest;
    const inRange = [...this.invalid].filter(([index]) => index >= 0 && index < shardCount);
    return new Map([...inRange, ...this.valid]);
  }

  /** The bytes of the outcomes in use, to be put back into a Redis that lost them. */
  outcomeBytes(): readonly Buffer[] {
    return this.raw;
  }

  toStore(): RoundToStore {
    const { key, manifestBytes: manifest, manifestHash: hash, meta } = this.parts;
    return { key, round: this.round, manifest, hash, meta: JSON.stringify(meta) };
  }

  done(abandoned: RoundhouseError | null = null): void {
    this.state = 'done';
    this.parts.span?.end(abandoned?.code ?? null);
    this.finish(abandoned);
  }
}

/** Among decisions that wait. */
export function placeOf({ zone, round: { sequence, deadline } }: OpenRound): QueuedDecision {
  return { zone, sequence, deadline };
}

export function candidatesOf({ parts }: { readonly parts: Pick<OpenRoundParts, 'manifest'> }): number {
  return parts.manifest.shardCandidateCounts.reduce((sum, count) => sum + count, 0);
}
