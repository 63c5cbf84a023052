import { outcomeFault } from '#policy/join/read-outcome';
import type { UnixMs } from '#schemas/brands';
import { decisionContentHash } from '#schemas/codec';
import { roundKey } from '#schemas/topics';
import type {
  RecordedDecision,
  RecordedHeader,
  RecordedOutcome,
  RecordedRound,
} from '../recording/recorded-round';
import type { RoundManifest } from '#schemas/domain';

export interface ManifestMessage {
  readonly appendedAt: UnixMs;
  readonly headers: readonly RecordedHeader[];
  readonly manifest: RoundManifest;
}

interface Decided extends RecordedDecision {
  /** Those of a zone come in the order in which they were made. */
  readonly place: number;
}

interface OpenRound extends ManifestMessage {
  readonly outcomes: Map<number, RecordedOutcome>;
  decision: Decided | null;
}

/** An outcome may be on Kafka so long before its round's manifest: ingest sends shards first. */
export const EARLY_MS = 120_000;

/** Why a round isn't whole: what its decision says of its shards must be there. */
export function faultsOf({ manifest, outcomes, decision }: OpenRound): string[] {
  if (decision === null) return ['no decision'];
  const { content, contentHash } = decision.decision;
  const faults: string[] = [];
  if (decisionContentHash(content) !== contentHash)
    faults.push("the decision's content has another hash than it says");
  if (content.shards.length !== manifest.shardCount) {
    return [
      ...faults,
      `the decision has ${content.shards.length} shards, the manifest ${manifest.shardCount}`,
    ];
  }
  for (const { shardIndex, status } of content.shards) {
    const arrived = outcomes.has(shardIndex);
    if (status !== 'missing' && !arrived) faults.push(`no outcome of shard ${shardIndex}`);
  }
  return faults;
}

/**
 * Puts rounds together from what stands on three topics, of which each is read in pieces. Pure; holds the
 * rounds that aren't whole yet, and outcomes that came before their round.
 */
export class RoundJoiner {
  private readonly open = new Map<string, OpenRound>();
  private readonly early = new Map<string, RecordedOutcome[]>();
  private readonly earlyDecisions = new Map<string, Decided>();
  /** Rounds of which a message has been seen already; a repeated one is none. */
  private readonly done = new Map<string, UnixMs>();
  private decisions = 0;

  /** The append time of the oldest round that waits; null where none does. */
  oldestOpen(): UnixMs | null {
    let oldest: UnixMs | null = null;
    for (const { appendedAt } of this.open.values())
      oldest = oldest === null || appendedAt < oldest ? appendedAt : oldest;
    return oldest;
  }

  /** Of the rounds that wait; null where none does. */
  latestDeadline(): UnixMs | null {
    const deadlines = [...this.open.values()].map(({ manifest }) => manifest.round.deadline);
    return deadlines.length === 0 ? null : (Math.max(...deadlines) as UnixMs);
  }

  addRound(message: ManifestMessage): void {
    const key = roundKey(message.manifest.round);
    if (this.open.has(key) || this.done.has(key)) return;
    const round: OpenRound = {
      ...message,
      outcomes: new Map(),
      decision: this.earlyDecisions.get(key) ?? null,
    };
    this.open.set(key, round);
    for (const outcome of this.early.get(key) ?? []) this.use(round, outcome);
    this.early.delete(key);
    this.earlyDecisions.delete(key);
  }

  addOutcome(outcome: RecordedOutcome): void {
    const key = roundKey(outcome.outcome);
    const round = this.open.get(key);
    if (round !== undefined) return this.use(round, outcome);
    if (this.done.has(key)) return;
    const waiting = this.early.get(key);
    if (waiting === undefined) this.early.set(key, [outcome]);
    else waiting.push(outcome);
  }

  /** A round's first decision is its decision. */
  addDecision(recorded: RecordedDecision): void {
    const key = roundKey(recorded.decision);
    const round = this.open.get(key);
    const decision = { ...recorded, place: this.decisions++ };
    if (round !== undefined) round.decision ??= decision;
    else if (!this.done.has(key) && !this.earlyDecisions.has(key)) this.earlyDecisions.set(key, decision);
  }

  /** The first valid outcome of a shard counts, as it does for the aggregator. */
  private use(round: OpenRound, recorded: RecordedOutcome): void {
    const { shardIndex } = recorded.outcome;
    if (round.outcomes.has(shardIndex) || outcomeFault(round.manifest, recorded.outcome) !== null) return;
    round.outcomes.set(shardIndex, recorded);
  }

  /** Whole rounds, in the order of their decisions. All three topics must have been read up to the same time. */
  takeWhole(): RecordedRound[] {
    return this.take((round) => faultsOf(round).length === 0);
  }

  /** All that wait, with what is wrong with them. */
  takeAll(): RecordedRound[] {
    return this.take(() => true);
  }

  private take(isTaken: (round: OpenRound) => boolean): RecordedRound[] {
    const taken = [...this.open].filter(([, round]) => isTaken(round));
    for (const [key, round] of taken) {
      this.open.delete(key);
      this.done.set(key, round.appendedAt);
    }
    return taken
      .map(([, round]) => round)
      .sort(inOrder)
      .map(recordedOf);
  }

  /** What came so long before `now` will find no round any more; keys of rounds are kept for repetitions. */
  forget(now: UnixMs, keptMs: number): void {
    for (const [key, [first]] of this.early) if (first!.appendedAt < now - EARLY_MS) this.early.delete(key);
    for (const [key, { appendedAt }] of this.earlyDecisions)
      if (appendedAt < now - EARLY_MS) this.earlyDecisions.delete(key);
    for (const [key, at] of this.done) if (at < now - keptMs) this.done.delete(key);
  }
}

function inOrder(a: OpenRound, b: OpenRound): number {
  if (a.decision === null || b.decision === null) {
    return Number(a.decision === null) - Number(b.decision === null) || a.appendedAt - b.appendedAt;
  }
  return a.decision.appendedAt - b.decision.appendedAt || a.decision.place - b.decision.place;
}

/** Outcomes that came after the close were not used. */
function recordedOf(round: OpenRound): RecordedRound {
  const { appendedAt, headers, manifest, decision } = round;
  const missing = new Set(
    (decision?.decision.content.shards ?? [])
      .filter(({ status }) => status === 'missing')
      .map(({ shardIndex }) => shardIndex as number),
  );
  const outcomes = [...round.outcomes.values()]
    .filter(({ outcome }) => !missing.has(outcome.shardIndex))
    .sort((a, b) => a.outcome.shardIndex - b.outcome.shardIndex);
  return {
    appendedAt,
    headers,
    manifest,
    outcomes,
    decision: withoutPlace(decision),
    faults: faultsOf(round),
  };
}

function withoutPlace(decision: Decided | null): RecordedDecision | null {
  if (decision === null) return null;
  return { appendedAt: decision.appendedAt, headers: decision.headers, decision: decision.decision };
}
