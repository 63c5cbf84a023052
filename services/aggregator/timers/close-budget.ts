import type { Due } from './due-schedule';

/** Closes that are remembered, and for how long. */
const KEEP = 256;
const KEEP_MS = 300_000;
const MAX_BUDGET_MS = 5_000;

/** A close longer than this may be one stall of the process or of the broker. */
const ORDINARY_MS = 500;
/** What deciding takes a candidate at most on a busy machine; the budget is for what comes on top. */
const MS_PER_CANDIDATE = 0.03;
/** The close of a round of so many tells what a candidate takes; it begins as above and is learned from then on. */
const TELLING_CANDIDATES = 20_000;
const LEAST_MS_PER_CANDIDATE = 0.002;
/** The next one may take so many times as long as was learned. */
const SLOWER = 1.5;
/** What the close of a round keeps others waiting, until it has been seen, and at most. */
const FIRST_TURN_MS = 6;
const LONGEST_TURN_MS = 25;
/** Fewer closes in a row say nothing about it. */
const TELLING_TURNS = 8;
/** Of deciding, a candidate on an ordinary machine; the margin is for a busy one. */
const TURN_MS_PER_CANDIDATE = 0.01;
const FORGET = 0.1;
/** Closes of one such span are one observation. */
const STALL_SPAN_MS = 10_000;

interface Close {
  readonly at: number;
  readonly ms: number;
}

/**
 * The largest recent close plus a margin, bounded: so long before its deadline a round begins to close. What deciding
 * takes a candidate comes on top; of large rounds it is learned. What a
 * close took beyond half a second counts only when it is seen again later: one stall must not cost the rounds
 * of the next minutes their time.
 */
export class CloseBudget {
  private recent: Close[] = [];
  private turnMs = FIRST_TURN_MS;
  /** Of large rounds. */
  private learnedMs = MS_PER_CANDIDATE / SLOWER;

  constructor(
    private readonly marginMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  record(ms: number, candidates: number): void {
    this.recent.push({ at: this.now(), ms: Math.max(0, ms - this.decidingMs(candidates)) });
    if (candidates >= TELLING_CANDIDATES) this.learn(ms / candidates);
    if (this.recent.length > KEEP) this.recent.shift();
  }

  /** Grows at once, and falls slowly. */
  private learn(msPerCandidate: number): void {
    const seen = Math.min(MS_PER_CANDIDATE / SLOWER, Math.max(LEAST_MS_PER_CANDIDATE, msPerCandidate));
    this.learnedMs = Math.max(seen, this.learnedMs + FORGET * (seen - this.learnedMs));
  }

  private decidingMs(candidates: number): number {
    return candidates * (candidates >= TELLING_CANDIDATES ? SLOWER * this.learnedMs : MS_PER_CANDIDATE);
  }

  budgetMs(): number {
    const since = this.now() - KEEP_MS;
    this.recent = this.recent.filter(({ at }) => at >= since);
    const [largest = 0, second = 0] = largestBySpan(this.recent);
    const expected = Math.max(second, Math.min(largest, ORDINARY_MS));
    return Math.min(MAX_BUDGET_MS, Math.ceil(expected) + this.marginMs);
  }

  /** So many closes in a row took so long. Grows at once, and falls slowly. */
  recordTurns(turns: number, ms: number, candidates: number): void {
    if (turns < TELLING_TURNS) return;
    const seen = Math.min(LONGEST_TURN_MS, Math.max(1, ms - TURN_MS_PER_CANDIDATE * candidates) / turns);
    this.turnMs = Math.max(seen, this.turnMs + FORGET * (seen - this.turnMs));
  }

  /** The close of a round among those that are due with it; none begins more than 5 s before its own time. */
  dueOf(acceptedAt: number, deadline: number, at: number, candidates: number): Due {
    const half = Math.max(0, deadline - acceptedAt) / 2;
    const notBefore = Math.min(at, Math.max(deadline - half, at - MAX_BUDGET_MS));
    return { at, notBefore, costMs: this.turnMs + TURN_MS_PER_CANDIDATE * candidates };
  }

  /** Has the round so little time that its close doesn't get the margin? */
  isPressed(closeAt: number, deadline: number): boolean {
    return deadline - closeAt < this.marginMs;
  }

  /** Unix ms at which closing begins; at most half of a short round's time is given up. */
  closeAt(acceptedAt: number, deadline: number, candidates: number): number {
    const half = Math.max(0, deadline - acceptedAt) / 2;
    const needed = Math.min(MAX_BUDGET_MS, this.budgetMs() + Math.ceil(this.decidingMs(candidates)));
    return deadline - Math.min(needed, half);
  }
}

function largestBySpan(closes: readonly Close[]): number[] {
  const spans = new Map<number, number>();
  for (const { at, ms } of closes) {
    const span = Math.floor(at / STALL_SPAN_MS);
    spans.set(span, Math.max(spans.get(span) ?? 0, ms));
  }
  return [...spans.values()].sort((a, b) => b - a);
}
