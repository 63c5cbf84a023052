import { nextDecision, type Effort, type WaitingDecision } from '#policy/join/decision-effort';
import { DecisionQueue, type QueuedDecision } from '#policy/join/decision-queue';
import type { HandOvers } from './hand-overs';
import { LongestOfLate } from './longest-of-late';
import { LoopPace } from './loop-pace';

export interface TurnOf extends QueuedDecision {
  readonly candidates: number;
  /**
   * Unix ms at which the decision must have been made; null for an overdue round. Asked in each turn: `neededMs` is what it
   * takes at present from then on, where another one was begun just before.
   */
  until(neededMs: number): number | null;
}

interface Waiting extends TurnOf {
  begin(effort: Effort): void;
}

/** Decisions without an assignment take next to no time: so many go in one turn, before one that takes some. */
const MOST_NONE = 16;

/**
 * Decisions that are made on the event loop, one in each of its turns, the nearest deadline first and those of a zone in their order.
 * They are made by timers: a turn runs those, then reads answers, then sends what these began, so that a decision whose claim was
 * answered doesn't wait for the next one to be made. Those for which there is no time get less effort.
 */
export class DecisionTurns {
  private readonly waiting = new DecisionQueue<Waiting>();
  private isTaken = false;
  private turnAt = 0;
  private readonly longestTurn: LongestOfLate;
  /** The decision in full of this turn of the event loop. */
  private begun: { readonly candidates: number; readonly at: number } | null = null;

  constructor(
    private readonly handOvers: Pick<HandOvers<unknown>, 'neededMs'>,
    readonly pace = new LoopPace(),
    private readonly now: () => number = Date.now,
  ) {
    this.longestTurn = new LongestOfLate(now);
  }

  /** Resolves when it is the decision's turn, which has to be used at once: with what effort. */
  take(turn: TurnOf): Promise<Effort> {
    const begun = new Promise<Effort>((begin) => this.waiting.add({ ...turn, begin }));
    if (!this.isTaken) this.next();
    return begun;
  }

  private next(): void {
    this.learn();
    this.isTaken = this.waiting.length > 0;
    if (!this.isTaken) return;
    this.turnAt = this.now();
    setTimeout(() => this.next(), 0);
    let effort: Effort;
    let begun = 0;
    do effort = this.beginNext();
    while (effort === 'none' && this.waiting.length > 0 && ++begun < MOST_NONE);
  }

  private beginNext(): Effort {
    const neededMs = this.handOvers.neededMs() + this.longestTurn.ms();
    const expected = this.waiting.inOrder().map((one) => this.expected(one, neededMs));
    const { index, effort } = nextDecision(expected, this.now())!;
    const next = this.waiting.takeAt(index);
    if (effort === 'full') this.begun = { candidates: next.candidates, at: this.now() };
    next.begin(effort);
    return effort;
  }

  private expected({ candidates, until }: Waiting, neededMs: number): WaitingDecision {
    const [fullMs, reducedMs] = [this.pace.fullMs(candidates), this.pace.reducedMs(candidates)];
    return { fullMs, reducedMs, until: until(neededMs) };
  }

  /** The next decision has to wait for the whole turn: also for messages, claims and sends of others. */
  private learn(): void {
    if (this.isTaken) this.longestTurn.took(this.now() - this.turnAt);
    if (this.begun !== null) this.pace.learn(this.begun.candidates, this.now() - this.begun.at);
    this.begun = null;
  }
}
