import { setTimeout as sleep } from 'node:timers/promises';
import { RoundhouseError } from '#schemas/errors';
import type { RoundDecider, RoundDecision } from '../decide/round-decider';
import type { AggregatorEvents, Outage } from '../events';
import type { DecisionPublisher } from '../publish/decision-publisher';
import type { LoopStalls } from '../publish/loop-stalls';
import type { OutageLog } from '../publish/outage-log';
import type { CloseReply, JoinStore } from '../store/join-store';
import { SLOW_REDIS_MS } from '../store/redis-probe';
import type { CloseBudget } from '../timers/close-budget';
import type { DeadlineTimers } from '../timers/deadline-timers';
import { DueRounds } from '../timers/due-rounds';
import { afterOlder } from './claim-order';
import { candidatesOf, type OpenRound } from './open-round';
import { lookMs, pullOutcomes, type OnInvalid } from './pull-outcomes';
import type { RoundBook } from './round-book';
import { idsOf, reportDecision, type Decided } from './round-report';

export interface RoundCloserParts {
  readonly book: RoundBook;
  readonly store: JoinStore;
  readonly publisher: DecisionPublisher;
  readonly outages: OutageLog;
  readonly stalls: LoopStalls;
  readonly budget: CloseBudget;
  readonly timers: DeadlineTimers;
  readonly events: AggregatorEvents;
  readonly decider: RoundDecider;
  readonly isRedisThere: () => boolean;
  readonly onInvalid: OnInvalid;
}

/** A decision this far behind its planned close is behind because of an outage, if there was one. */
const BEHIND_PLAN_MS = 50;
const REFUSED_PAUSE_MS = 250;

/** Closes rounds: the last outcome or the deadline, whichever is first, and then the first to reach Redis. */
export class RoundCloser {
  private readonly due: DueRounds;

  constructor(private readonly parts: RoundCloserParts) {
    this.due = new DueRounds(
      (round) => this.decideInTurn(round),
      (round, error) => this.abandon(round, error),
      () => parts.isRedisThere(),
      (rounds, ms) => parts.budget.recordTurns(rounds.length, ms, sumOfCandidates(rounds)),
    );
  }

  /** Takes a round under control: its timer, and a close at once where it is complete or overdue. */
  admit(open: OpenRound): void {
    const { closeAt, meta } = open.parts;
    open.taken();
    if (closeAt <= Date.now()) return this.due.add(open, true);
    this.parts.decider.prepare(open);
    const aside = this.parts.decider.isLarge(open);
    const candidates = aside ? 0 : candidatesOf(open);
    const due = this.parts.budget.dueOf(meta.acceptedAt, open.round.deadline, closeAt, candidates);
    this.parts.timers.set(open.key, due, () => this.due.add(open, false));
    this.outcomeAdded(open);
  }

  /** For a round that waiting can't help. */
  closeNow(open: OpenRound): void {
    open.taken();
    this.due.add(open, true);
  }

  /** Closes a complete round, unless the close of an older one of its zone hasn't begun and there is time to wait for it. */
  outcomeAdded(open: OpenRound): void {
    if (open.state !== 'open') return;
    this.parts.decider.outcomeAdded(open);
    if (!this.mayClose(open)) return;
    this.close(open).catch((error: unknown) => this.abandon(open, error));
    this.closeFollowing(open);
  }

  private mayClose(open: OpenRound): boolean {
    if (open.state !== 'open' || !open.isComplete() || !this.parts.isRedisThere()) return false;
    return !this.parts.book.isHeldBack(open);
  }

  /** Complete rounds that this one held back, up to the first that isn't: all of them wait for their turn together. */
  private closeFollowing(open: OpenRound): void {
    for (const newer of this.parts.book.newer(open)) {
      if (newer.state === 'closing') continue;
      if (!this.mayClose(newer)) return;
      this.close(newer).catch((error: unknown) => this.abandon(newer, error));
    }
  }

  /** Somebody set the clock: what is due is told by it. */
  clockStepped(): void {
    this.parts.timers.plan();
  }

  /** Nothing more is closed for its deadline. */
  leaveDeadlines(): void {
    this.parts.timers.clearAll();
  }

  redisIsBack(): void {
    this.due.resume();
    for (const open of this.parts.book.all()) this.outcomeAdded(open);
  }

  /** The outbox had a decision, which may or may not be on Kafka. */
  async republish(open: OpenRound, bytes: Buffer): Promise<void> {
    open.state = 'closing';
    open.decision = bytes;
    this.leaveZone(open);
    this.parts.events.RoundRepublished(idsOf(open));
    const known = { bytes, summary: null, decideSeconds: 0, phases: {}, effort: 'full' } as const;
    await this.publish(open, known, performance.now());
  }

  /** Overdue rounds begin to be decided in turn; none waits for a large one, which computes elsewhere. */
  private async decideInTurn(open: OpenRound): Promise<void> {
    const decided = this.decide(open, true);
    if (!this.parts.decider.isLarge(open)) return decided;
    decided.catch((error: unknown) => this.abandon(open, error));
  }

  /**
   * Resolves when the decision stands in the outbox; its publication goes on. In turn, complete rounds look at
   * Redis too, so that they don't overtake older ones of their zone that have to.
   */
  private async decide(open: OpenRound, inTurn = false): Promise<void> {
    if (open.state !== 'open') return;
    if (inTurn || !open.isComplete()) await this.lookOnce(open);
    if (open.state !== 'open') return;
    const closed = this.close(open);
    this.closeFollowing(open);
    return closed;
  }

  /** As `decide`, for an open round. */
  private async close(open: OpenRound): Promise<void> {
    open.state = 'closing';
    this.parts.timers.clear(open.key);
    const begin = performance.now();
    const decided = await this.claim(open);
    open.decision = decided?.bytes ?? null;
    if (decided === null) return this.finish(open);
    void this.publish(open, decided, begin);
  }

  /** Outcomes of a round that lacks some may stand in Redis without a notice of theirs having come. */
  private async lookOnce(open: OpenRound): Promise<void> {
    const looked = pullOutcomes(open, this.parts.store, this.parts.onInvalid).catch((error: unknown) =>
      this.parts.events.CloseRefused({ ...idsOf(open), reason: String(error) }),
    );
    await Promise.race([looked, sleep(lookMs(open.round.deadline - Date.now()))]);
  }

  /** The decision that stands in the outbox: ours, or that of whoever was first; null when it is on Kafka. */
  private async claim(open: OpenRound): Promise<Decided | null> {
    let stale = false;
    for (;;) {
      const begin = performance.now();
      const { summary, bytes, phases: decided, effort } = await this.decisionOf(open, stale);
      const decideSeconds = (performance.now() - begin) / 1_000;
      const askedAt = Date.now();
      this.parts.decider.handsOver(open);
      const closing = this.closeInStore(open, bytes, stale);
      // Redis takes claims in the order in which they are sent: the next of the zone needn't wait for the answer.
      this.leaveZone(open);
      const reply = await closing;
      this.judgeRedis(askedAt);
      const phases = { ...open.taking, ...decided, claim: Date.now() - askedAt };
      if (reply.state === 'closed') return { bytes, summary, decideSeconds, phases, effort };
      if (reply.state === 'decided') {
        return { bytes: reply.decision, summary: null, decideSeconds, phases, effort: 'full' };
      }
      if (reply.state === 'published') return null;
      stale = true;
    }
  }

  /** A claim that Redis held up; not what our own event loop did. */
  private judgeRedis(askedAt: number): void {
    const { outages, stalls } = this.parts;
    const now = Date.now();
    if (now - askedAt - stalls.stalledMs(askedAt, now) > SLOW_REDIS_MS) outages.happened('redis', askedAt);
  }

  private async decisionOf(open: OpenRound, stale: boolean): Promise<RoundDecision> {
    const { decider, events } = this.parts;
    const decision = await decider.decide(open, stale, (error) =>
      events.PlansRefused({ ...idsOf(open), reason: String(error) }),
    );
    // A newer one was claimed before a stale one: it takes nothing from older ones.
    return stale ? decision : this.inOrder(open, decision);
  }

  /** The decision, once it may be claimed. */
  private async inOrder(open: OpenRound, decision: RoundDecision): Promise<RoundDecision> {
    const { book, decider } = this.parts;
    const older = book.olderClosing(open);
    if (older.length === 0) return decision;
    const since = performance.now();
    await afterOlder(older, decider.until(open));
    const wait = (decision.phases['wait'] ?? 0) + performance.now() - since;
    return { ...decision, phases: { ...decision.phases, wait } };
  }

  /** A Redis that refuses (out of memory, read-only) is asked until it takes the decision. */
  private async closeInStore(open: OpenRound, bytes: Buffer, stale: boolean): Promise<CloseReply> {
    for (;;) {
      try {
        return await this.parts.store.close(open.key, open.round, bytes, stale);
      } catch (error) {
        this.parts.events.CloseRefused({ ...idsOf(open), reason: String(error) });
        await sleep(REFUSED_PAUSE_MS);
      }
    }
  }

  private async publish(open: OpenRound, decided: Decided, since: number): Promise<void> {
    const { publisher, store } = this.parts;
    try {
      const outage = await publisher.publish(open, decided, () => this.markOf(open));
      this.report(open, decided, outage, (performance.now() - since) / 1_000);
    } catch (error) {
      return this.abandon(open, error);
    }
    store.markPublished(open.key, open.round).catch(() => undefined);
    this.finish(open);
  }

  /** The decision can never be published; the round's message goes to the dead letters. */
  private abandon(open: OpenRound, error: unknown): void {
    const reason = error instanceof RoundhouseError ? error : new RoundhouseError('INTERNAL', String(error));
    if (reason.code === 'SHUTTING_DOWN') return;
    this.parts.events.RoundAbandoned({ ...idsOf(open), code: reason.code, reason: reason.message });
    this.finish(open, reason);
  }

  /** The round needs no decision of ours any more; newer ones of its zone no longer wait for it. */
  finish(open: OpenRound, abandoned: RoundhouseError | null = null): void {
    this.parts.book.remove(open);
    this.parts.decider.forget(open);
    open.done(abandoned);
    this.leaveZone(open);
  }

  private leaveZone(open: OpenRound): void {
    this.parts.book.leaveZone(open);
    this.closeFollowing(open);
  }

  /**
   * Only rounds that are behind their plan are marked, and those to which an outage left less than the margin; all
   * others are decided in time. An outage counts from the time on when the round came to ingest.
   */
  private markOf(open: OpenRound): Outage | null {
    const now = Date.now();
    const { closeAt, meta, cameLate } = open.parts;
    const isPressed = this.parts.budget.isPressed(closeAt, open.round.deadline);
    if (now < closeAt + BEHIND_PLAN_MS && !isPressed) return null;
    const receivedAt = Number(meta.receivedAt ?? meta.acceptedAt) || meta.acceptedAt;
    const met = this.parts.outages.met(Math.min(receivedAt, meta.acceptedAt), now);
    return met ?? (cameLate || !open.parts.isOwned() ? 'aggregator' : null);
  }

  private report(open: OpenRound, decided: Decided, outage: Outage | null, closeSeconds: number): void {
    const { events, budget } = this.parts;
    const leftMs = open.round.deadline - Date.now();
    const behindMs = Date.now() - open.parts.closeAt;
    const ownMs = closeSeconds * 1_000 - (decided.phases['wait'] ?? 0);
    if (outage === null) budget.record(Math.max(ownMs, behindMs), candidatesOf(open));
    events.CloseBudgetChanged({ budgetMs: budget.budgetMs() });
    reportDecision(events, open, decided, { outage, leftMs, closeSeconds });
  }

  /** For the stop: rounds in closing are seen through. */
  async settle(timeoutMs: number): Promise<void> {
    const giveUpAt = Date.now() + timeoutMs;
    const isClosing = () => this.parts.book.all().some(({ state }) => state === 'closing');
    while (isClosing() && Date.now() < giveUpAt) await sleep(5);
  }
}

function sumOfCandidates(rounds: readonly OpenRound[]): number {
  return rounds.reduce((sum, round) => sum + candidatesOf(round), 0);
}
