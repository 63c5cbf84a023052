import { setTimeout as sleep } from 'node:timers/promises';
import { ownBytes } from '#lib/own-bytes';
import { noTracer, type Tracer } from '#lib/tracing/tracer';
import type { UnixMs } from '#schemas/brands';
import { roundsCodec } from '#schemas/codec';
import type { AggregatorEvents } from '../events';
import type { JoinStore } from '../store/join-store';
import type { CloseBudget } from '../timers/close-budget';
import { hashOf } from './admission';
import { candidatesOf, OpenRound, type RoundMeta } from './open-round';
import { takeOutcomes, type OnInvalid } from './pull-outcomes';
import type { RoundBook } from './round-book';
import type { RoundCloser } from './round-closer';
import { RoundSpan } from './round-span';

/** Time for the round's own instance to get its decision acknowledged. */
const PATIENCE_MS = 250;

/** What the backup job of a round does: nothing where the round is decided or its timer runs here. */
export class BackupClose {
  constructor(
    private readonly book: RoundBook,
    private readonly store: JoinStore,
    private readonly closer: RoundCloser,
    private readonly budget: CloseBudget,
    private readonly events: AggregatorEvents,
    private readonly onInvalid: OnInvalid,
    private readonly tracer: Tracer = noTracer,
  ) {}

  async onDue(key: string): Promise<void> {
    if (this.book.get(key) !== undefined) return;
    let stored = await this.store.load(key);
    if (stored.decision !== null && !stored.isPublished) {
      await sleep(PATIENCE_MS);
      stored = await this.store.load(key);
    }
    const { manifest, meta, decision } = stored;
    if (stored.isPublished || this.book.get(key) !== undefined || meta === null || manifest === null) return;
    const open = this.orphan(key, manifest, meta);
    this.book.add(open);
    const { runId, roundId } = open.round;
    this.events.BackupFired({ runId, roundId });
    if (decision !== null) return this.closer.republish(open, decision);
    this.close(open, stored.outcomes);
  }

  private close(open: OpenRound, outcomes: readonly Buffer[]): void {
    takeOutcomes(open, outcomes, 0, this.onInvalid);
    this.closer.admit(open);
  }

  private orphan(key: string, stored: Buffer, meta: Buffer): OpenRound {
    const manifestBytes = ownBytes(stored);
    const manifest = roundsCodec.decode(manifestBytes);
    const known = JSON.parse(meta.toString()) as RoundMeta;
    const plannedAt = this.budget.closeAt(
      known.acceptedAt,
      manifest.round.deadline,
      candidatesOf({ parts: { manifest } }),
    );
    return new OpenRound({
      key,
      manifest,
      manifestBytes,
      manifestHash: hashOf(manifestBytes),
      meta: known,
      closeAt: Math.min(Date.now(), plannedAt) as UnixMs,
      isOwned: () => false,
      cameLate: true,
      span: new RoundSpan(this.tracer, known, manifest),
    });
  }
}
