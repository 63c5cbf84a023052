import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import { nextDecision, type Effort, type WaitingDecision } from '#policy/join/decision-effort';
import { DecisionQueue, type QueuedDecision } from '#policy/join/decision-queue';
import type { OpenRound } from '../join/open-round';
import { candidatesOf, placeOf } from '../join/open-round';
import type { DecideAsked, DecidedThere, ThreadAnswer, ThreadJob } from './decide-thread';
import { DecidingPace } from './deciding-pace';

/** As JobThread has it. */
export interface DecidingPort {
  start(): unknown;
  tell(job: ThreadJob): void;
  ask(job: ThreadJob): Promise<ThreadAnswer>;
  /** The job that it has is given up, and a new thread has the next one. */
  replace(): void;
  stop(): Promise<void>;
}

export interface MadeDecision {
  readonly answer: DecidedThere;
  readonly effort: Exclude<Effort, 'none'>;
}

/** Of a large round's manifest. */
const BYTES_A_CANDIDATE = 20;
/** An overdue round waits so long for a thread that doesn't answer. */
const LONGEST_OVERDUE_MS = 300_000;
/** So long an overdue round lets those in time go before it. */
const YIELDS_MS = 2_000;
/** A thread that takes so much longer than a decision is expected to take hangs. */
const HANGS_AFTER_MS = 10_000;
const HANGS_AFTER_TIMES = 20;

interface Waiting extends QueuedDecision {
  readonly open: OpenRound;
  readonly stale: boolean;
  readonly until: number | null;
  readonly yieldsUntil: number;
  resolve(made: MadeDecision | null): void;
  reject(error: unknown): void;
}

/**
 * Large rounds of one thread: told to it as they become known, and decided one after the other in the order of their
 * deadlines and zones, each with as much effort as leaves time for those behind it.
 */
export class LargeDecisions {
  /** Rounds that were told to the thread, with the shards whose outcomes it was told. */
  private readonly told = new Map<OpenRound, { readonly number: number; readonly shards: Set<number> }>();
  /** Manifests that were told to the thread before they were read here; their numbers. */
  private readonly foreseen = new Map<Buffer, number>();
  private readonly waiting = new DecisionQueue<Waiting>();
  private isAsked = false;
  private nextNumber = 0;

  constructor(
    private readonly port: DecidingPort,
    private readonly pace = new DecidingPace(),
    private readonly now: () => number = Date.now,
    private readonly onHung: (ms: number) => void = () => undefined,
  ) {}

  start(): void {
    this.port.start();
  }

  stop(): Promise<void> {
    return this.port.stop();
  }

  /** Candidates of rounds that are this thread's and not decided yet; about so many of those that are foreseen. */
  get load(): number {
    const told = [...this.told.keys()].reduce((sum, open) => sum + candidatesOf(open), 0);
    return [...this.foreseen.keys()].reduce((sum, bytes) => sum + bytes.byteLength / BYTES_A_CANDIDATE, told);
  }

  has(open: OpenRound): boolean {
    return this.told.has(open) || this.foreseen.has(open.parts.manifestBytes);
  }

  /** For a manifest that will most likely be that of a large round: the thread decodes it while it is read here. */
  foresee(manifestBytes: Buffer): void {
    const number = this.nextNumber++;
    this.foreseen.set(manifestBytes, number);
    this.port.tell({ kind: 'prepare', number, manifestBytes });
  }

  /** It was no manifest, or that of a round which is known already. */
  dismiss(manifestBytes: Buffer): void {
    const number = this.foreseen.get(manifestBytes);
    if (number === undefined) return;
    this.foreseen.delete(manifestBytes);
    this.port.tell({ kind: 'drop', number });
  }

  /** For a round that will be decided: what can be done before its outcomes are there. */
  prepare(open: OpenRound): void {
    if (this.told.has(open)) return;
    const { manifestBytes } = open.parts;
    if (!this.foreseen.has(manifestBytes)) this.foresee(manifestBytes);
    this.told.set(open, { number: this.foreseen.get(manifestBytes)!, shards: new Set() });
    this.foreseen.delete(manifestBytes);
  }

  /** Passes on the outcomes that came since the last time. */
  tellOutcomes(open: OpenRound): void {
    const told = this.told.get(open);
    if (told === undefined) return;
    for (const [shard, outcome] of open.validOutcomes()) {
      if (told.shards.has(shard)) continue;
      told.shards.add(shard);
      this.port.tell({ kind: 'outcome', number: told.number, outcome });
    }
  }

  /** The round needs no decision any more. */
  forget(open: OpenRound): void {
    const told = this.told.get(open);
    if (told === undefined) return;
    this.told.delete(open);
    this.port.tell({ kind: 'drop', number: told.number });
  }

  /**
   * Null where there is no time left for any effort; where `until` (of an overdue round, minutes) passes before the thread
   * has answered, its answer is dropped. Rejects where the thread ends instead.
   */
  decide(open: OpenRound, stale: boolean, until: number | null): Promise<MadeDecision | null> {
    this.prepare(open);
    this.tellOutcomes(open);
    return new Promise((resolve, reject) => {
      const ms = until === null ? LONGEST_OVERDUE_MS : Math.min(until - this.now(), LONGEST_TIMER_MS);
      const timer = setTimeout(() => settle(() => resolve(null)), ms);
      const settle = (how: () => void) => {
        clearTimeout(timer);
        this.waiting.remove(entry);
        how();
      };
      const entry: Waiting = {
        ...placeOf(open),
        open,
        stale,
        until,
        yieldsUntil: this.now() + YIELDS_MS,
        resolve: (made) => settle(() => resolve(made)),
        reject: (error) => settle(() => reject(error as Error)),
      };
      this.waiting.add(entry);
      this.askNext();
    });
  }

  /** In a turn of its own, so that rounds that are closed together are seen together. */
  private askNext(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    setImmediate(() => {
      void this.askFirst().finally(() => {
        this.isAsked = false;
        if (this.waiting.length > 0) this.askNext();
      });
    });
  }

  private async askFirst(): Promise<void> {
    const waiting = this.waiting.inOrder();
    const next = nextDecision(
      waiting.map((one) => this.expected(one)),
      this.now(),
    );
    if (next === null) return;
    const { effort } = next;
    const chosen = waiting[next.index]!;
    if (effort === 'none') return chosen.resolve(null);
    this.waiting.remove(chosen);
    const since = this.now();
    const watch = this.watchHang(this.expected(chosen).fullMs);
    try {
      const answer = await this.ask(chosen, effort);
      this.pace.learn(effort, candidatesOf(chosen.open), this.now() - since);
      chosen.resolve({ answer, effort });
    } catch (error) {
      chosen.reject(error);
    } finally {
      clearTimeout(watch);
    }
  }

  /** A thread that hangs is replaced: the new one knows of no round, which it says when it is asked. */
  private watchHang(expectedMs: number): NodeJS.Timeout {
    const ms = HANGS_AFTER_MS + HANGS_AFTER_TIMES * expectedMs;
    const hung = () => {
      this.onHung(ms);
      this.port.replace();
    };
    return setTimeout(hung, ms).unref();
  }

  private expected({ open, until, yieldsUntil }: Waiting): WaitingDecision {
    const candidates = candidatesOf(open);
    const [fullMs, reducedMs] = [this.pace.fullMs(candidates), this.pace.reducedMs(candidates)];
    return { fullMs, reducedMs, until, yieldsUntil };
  }

  private async ask({ open, stale }: Waiting, effort: Exclude<Effort, 'none'>): Promise<DecidedThere> {
    const { number, shards } = this.told.get(open) ?? {
      number: this.nextNumber++,
      shards: new Set<number>(),
    };
    const closedBy = open.isComplete() ? 'complete' : 'deadline';
    const outcomes = open.outcomes();
    const others = new Map([...outcomes].filter(([shard]) => !shards.has(shard)));
    const job: DecideAsked = {
      kind: 'decide',
      number,
      manifestBytes: null,
      told: [...shards],
      outcomes: others,
      closedBy,
      stale,
      effort,
    };
    const answer = await this.port.ask(job);
    if (answer.kind === 'decided') return answer;
    const { manifestBytes } = open.parts;
    const whole = await this.port.ask({ ...job, manifestBytes, told: [], outcomes });
    if (whole.kind === 'decided') return whole;
    throw new Error('the thread that decides large rounds lacks what it was sent');
  }
}
