import { createHash } from 'node:crypto';
import type { Lease } from '#lib/bus/port';
import type { Tracer } from '#lib/tracing/tracer';
import type { RoundManifest } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { roundKey } from '#schemas/topics';
import type { UnixMs } from '#schemas/brands';
import type { AggregatorEvents } from '../events';
import type { OutcomeRecovery } from '../store/outcome-recovery';
import type { JoinStore } from '../store/join-store';
import type { BackupJobs } from '../timers/backup-jobs';
import type { CloseBudget } from '../timers/close-budget';
import { candidatesOf, OpenRound, type RoundMeta } from './open-round';
import { pullOutcomes, takeOutcomes, type OnInvalid } from './pull-outcomes';
import type { RoundBook } from './round-book';
import type { RoundCloser } from './round-closer';
import { RoundSpan } from './round-span';

export interface AdmissionParts {
  readonly book: RoundBook;
  readonly store: JoinStore;
  readonly closer: RoundCloser;
  readonly budget: CloseBudget;
  readonly backup: BackupJobs;
  readonly recovery: OutcomeRecovery;
  readonly onInvalid: OnInvalid;
  readonly events: AggregatorEvents;
  readonly tracer: Tracer;
}

export interface Arrival {
  readonly manifest: RoundManifest;
  readonly bytes: Buffer;
  readonly meta: RoundMeta;
  readonly cameLate: boolean;
  readonly lease: Lease;
}

/** Clocks of broker and process may differ by so much. */
const SKEW_MS = 200;

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Brings rounds into the join: into memory at once, into Redis, under a timer and a backup job. */
export class Admission {
  constructor(private readonly parts: AdmissionParts) {}

  /**
   * Resolves to null when the round's decision is acknowledged, else to why this message is one for the dead
   * letters: other content of a known round, or a decision that can't be published.
   */
  async admit({ manifest, bytes, meta, cameLate, lease }: Arrival): Promise<RoundhouseError | null> {
    const key = roundKey(manifest.round);
    const hash = hashOf(bytes);
    const known = this.parts.book.get(key);
    if (known !== undefined) {
      return known.parts.manifestHash === hash ? known.isDone : conflictOf(known);
    }
    const candidates = candidatesOf({ parts: { manifest } });
    const closeAt = this.parts.budget.closeAt(meta.acceptedAt, manifest.round.deadline, candidates) as UnixMs;
    const ids = { key, manifest, manifestBytes: bytes, manifestHash: hash };
    const isOwned = () => lease.isOwned();
    const span = new RoundSpan(this.parts.tracer, meta, manifest);
    const { partition } = lease;
    const open = new OpenRound({ ...ids, meta, closeAt, cameLate, isOwned, partition, span });
    this.parts.book.add(open);
    await this.enter(open);
    const abandoned = await open.isDone;
    await Promise.all(open.owed);
    return abandoned;
  }

  private async enter(open: OpenRound): Promise<void> {
    const { store, closer, backup, events } = this.parts;
    const { key, manifest, meta, closeAt } = open.parts;
    const leftMs = open.round.deadline - Date.now();
    const reply = await store.open(open.toStore());
    if (reply.state === 'decided') {
      return closer.republish(open, reply.decision);
    }
    if (!('outcomes' in reply)) {
      return closer.finish(open, reply.state === 'conflict' ? conflictOf(open) : null);
    }
    const { runId, roundId } = open.round;
    events.RoundOpened({
      runId,
      roundId,
      shards: manifest.shardCount,
      candidates: candidatesOf(open),
      leftMs,
    });
    backup.schedule(key, closeAt);
    takeOutcomes(open, reply.outcomes, 0, this.parts.onInvalid);
    const mayLack = reply.state === 'created' && meta.acceptedAt < store.rememberedSince + SKEW_MS;
    if (mayLack && !reply.isStale && !open.isComplete()) await this.recover(open);
    if (reply.isStale) closer.closeNow(open);
    else closer.admit(open);
  }

  private async recover(open: OpenRound): Promise<void> {
    await this.parts.recovery.recover(open);
    for (const bytes of open.outcomeBytes()) {
      this.parts.store.append(open.key, bytes, open.parts.manifest.shardCount, false).catch(() => undefined);
    }
  }

  /** Another instance stored an outcome of the round. */
  async pull(key: string): Promise<void> {
    const open = this.parts.book.get(key);
    if (open === undefined) return;
    await pullOutcomes(open, this.parts.store, this.parts.onInvalid);
    this.parts.closer.outcomeAdded(open);
  }
}

function conflictOf({ round }: OpenRound): RoundhouseError {
  const reason = `round ${round.roundId} of run ${round.runId} is known with other content`;
  return new RoundhouseError('ROUND_CONFLICT', reason);
}
