import { roundKey } from '#schemas/topics';
import type { DecisionRecord } from './read-records';
import { roundState, type DecisionView, type RoundId, type RoundView } from './round-view';

/** Waiting rounds that are looked through for a decided one to forget. */
const mostPassedOver = 100;

/**
 * The last rounds, in the order in which their manifests came. Bounded: the oldest decided ones are forgotten, and waiting
 * ones only where a hundred older than any decided one wait. Of several manifests or decisions of a round the first one
 * counts. A decision may come before its manifest: the two topics are read side by side.
 */
export class RoundLog {
  private readonly rounds = new Map<string, RoundView>();
  private readonly open = new Map<string, RoundView>();
  private readonly early = new Map<string, DecisionView>();
  private changed = new Set<string>();
  private decided: RoundView[] = [];

  constructor(private readonly most: number) {}

  manifest(round: RoundView): void {
    const key = roundKey(round);
    if (this.rounds.has(key)) return;
    const decision = this.early.get(key) ?? null;
    this.early.delete(key);
    this.put(key, { ...round, decision });
    if (this.rounds.size > this.most) this.forget();
  }

  decision({ summary, view }: DecisionRecord): void {
    const key = roundKey(summary);
    const round = this.rounds.get(key);
    if (round !== undefined) {
      if (round.decision === null) this.put(key, { ...round, decision: view });
    } else if (!this.early.has(key)) {
      this.early.set(key, view);
      if (this.early.size > this.most) this.early.delete(this.early.keys().next().value!);
    }
  }

  private put(key: string, round: RoundView): void {
    this.rounds.set(key, round);
    this.changed.add(key);
    if (round.decision === null) this.open.set(key, round);
    else this.open.delete(key);
    if (round.decision !== null && this.decided.length < this.most) this.decided.push(round);
  }

  private forget(): void {
    const key = this.oldestDecided() ?? this.rounds.keys().next().value!;
    this.rounds.delete(key);
    this.open.delete(key);
    this.changed.delete(key);
  }

  private oldestDecided(): string | null {
    let passedOver = 0;
    for (const key of this.rounds.keys()) {
      if (!this.open.has(key)) return key;
      if (++passedOver === mostPassedOver) return null;
    }
    return null;
  }

  get size(): number {
    return this.rounds.size;
  }

  /** Without a decision, in the order of their manifests; not those that are long overdue. */
  waiting(now: number): RoundView[] {
    return [...this.open.values()].filter((round) => roundState(round, now) !== 'lost');
  }

  all(): Iterable<RoundView> {
    return this.rounds.values();
  }

  /** The newest last. */
  latest(count: number): RoundView[] {
    return [...this.rounds.values()].slice(-count);
  }

  /** Those that changed since this was asked last, the newest `most`. */
  takeChanged(most: number): RoundView[] {
    const keys = [...this.changed].slice(-most);
    this.changed = new Set();
    return keys.map((key) => this.rounds.get(key)!);
  }

  /** Those that were decided since this was asked last. */
  takeDecided(): RoundView[] {
    const { decided } = this;
    this.decided = [];
    return decided;
  }

  find(id: RoundId): RoundView | null {
    return this.rounds.get(roundKey(id)) ?? null;
  }

  /** Whose round, run, zone or trace id holds the text, the newest first. */
  search(text: string, most: number): RoundView[] {
    const wanted = text.toLowerCase();
    const found = ({ roundId, runId, zoneId, traceId }: RoundView): boolean =>
      [roundId, runId, zoneId, traceId ?? ''].some((id) => id.toLowerCase().includes(wanted));
    return [...this.rounds.values()].reverse().filter(found).slice(0, most);
  }
}
