import { nextDecision, type Effort, type WaitingDecision } from '#policy/join/decision-effort';
import { DecisionQueue, type QueuedDecision } from '#policy/join/decision-queue';
import { LoopPace } from './loop-pace';

interface Waiting extends WaitingDecision, QueuedDecision {
  readonly candidates: number;
  begin(effort: Effort): void;
}

export interface TurnOf extends QueuedDecision {
  readonly candidates: number;
  /** Unix ms at which the decision must have been made; null for an overdue round. */
  readonly until: number | null;
}

/** Decisions without an assignment take next to no time: so many go in one turn, before one that takes some. */
const MOST_NONE = 16;

/**
 * Decisions that are made on the event loop: one in each of its turns, so that those made before are claimed and sent
 * meanwhile, the nearest deadline first and those of a zone in their order. Those for which there is no time get less effort.
 */
export class DecisionTurns {
  private readonly waiting = new DecisionQueue<Waiting>();
  private isTaken = false;
  /** The decision in full of this turn of the event loop. */
  private begun: { readonly candidates: number; readonly at: number } | null = null;

  constructor(
    readonly pace = new LoopPace(),
    private readonly now: () => number = Date.now,
  ) {}

  /** Resolves when it is the decision's turn, which has to be used at once: with what effort. */
  take(turn: TurnOf): Promise<Effort> {
    const { candidates } = turn;
    const [fullMs, reducedMs] = [this.pace.fullMs(candidates), this.pace.reducedMs(candidates)];
    const begun = new Promise<Effort>((begin) => this.waiting.add({ ...turn, fullMs, reducedMs, begin }));
    if (!this.isTaken) this.next();
    return begun;
  }

  private next(): void {
    this.learn();
    this.isTaken = this.waiting.length > 0;
    if (!this.isTaken) return;
    setImmediate(() => this.next());
    let effort: Effort;
    let begun = 0;
    do effort = this.beginNext();
    while (effort === 'none' && this.waiting.length > 0 && ++begun < MOST_NONE);
  }

  private beginNext(): Effort {
    const { index, effort } = nextDecision(this.waiting.inOrder(), this.now())!;
    const next = this.waiting.takeAt(index);
    if (effort === 'full') this.begun = { candidates: next.candidates, at: this.now() };
    next.begin(effort);
    return effort;
  }

  /** The next decision has to wait for the whole turn: also for messages, claims and sends of others. */
  private learn(): void {
    if (this.begun !== null) this.pace.learn(this.begun.candidates, this.now() - this.begun.at);
    this.begun = null;
  }
}
