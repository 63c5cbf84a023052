import { goOn, takeIn } from './merged-episodes';
import { explanationOf, type Explained, type Line, type Signal } from './signals';
import { aheadOf, withoutFuture, type StoredEpisode } from './stored-episodes';

export interface RoundCost {
  /** Decided after their deadline. */
  late: number;
  /** Decided in time, without all of their plans. */
  partial: number;
}

/** Something that was wrong, from its first sign to its last. Times are Unix ms. */
export interface Episode extends Line {
  readonly key: number;
  /** The signal's id. */
  readonly cause: string;
  /** How often it happened; 0: a state. */
  readonly times: number;
  readonly beganAt: number;
  /** Null while it lasts. */
  readonly endedAt: number | null;
  readonly consequences: readonly Line[];
  readonly rounds: Readonly<RoundCost>;
  readonly report: NonNullable<Signal['report']> | null;
}

/** One that lasts, or is over but for what follows from it. */
export interface Standing extends Episode {
  /** What follows from it at this moment. */
  readonly now: readonly Line[];
}

/** A round that suffered: from its manifest to its decision. */
export interface Sufferer {
  readonly signal: Signal;
  readonly cost: keyof RoundCost;
  readonly from: number;
  readonly to: number;
}

/** The same again within this is the same episode. */
const againMs = 30_000;
/** So long behind its last sign, and that of what follows from it, a cause explains what comes. */
const explainsMs = 10_000;
/** A cause is seen this much later than what it did. */
const noticeMs = 5_000;
const mostEpisodes = 60;
const mostConsequences = 8;
const longestMs = 12 * 3_600_000;

interface Kept {
  readonly key: number;
  signal: Signal;
  times: number;
  beganAt: number;
  endedAt: number | null;
  /** When it, or what follows from it, was seen last. */
  seenAt: number;
  readonly consequences: Map<string, Line>;
  now: readonly Signal[];
  readonly rounds: RoundCost;
}

const lineOf = ({ level, where, words, runbook }: Line): Line => ({ level, where, words, runbook });
const worst = (lines: readonly Line[]): Line['level'] =>
  lines.some(({ level }) => level === 'bad') ? 'bad' : 'warn';

/** What was wrong of late, and what it cost: bounded, the newest kept. */
export class Episodes {
  private kept: Kept[] = [];
  private keys = 0;
  private changes = 0;
  private lookedAt = -Infinity;

  /** Another one where the list isn't the same any more. */
  get version(): number {
    return this.changes;
  }

  /** At a look: what is wrong at that moment, by its causes. */
  saw(groups: readonly Explained[], at: number): void {
    this.followClock(at);
    for (const one of this.kept) one.now = [];
    for (const group of groups) this.put(group, at);
    const states = new Set(groups.flatMap(({ root }) => (root?.times === null ? [root.id] : [])));
    for (const one of this.kept) {
      if (one.endedAt === null && !states.has(one.signal.id)) {
        one.endedAt = at;
        this.changes += 1;
      }
    }
    this.forget(at);
  }

  /** Set back, a clock makes nothing of the past a thing of the future. */
  private followClock(at: number): void {
    const by = Math.min(0, at - this.lookedAt);
    this.lookedAt = at;
    if (by === 0) return;
    for (const one of this.kept) {
      one.beganAt += by;
      one.seenAt += by;
      if (one.endedAt !== null) one.endedAt += by;
    }
  }

  private forget(at: number): void {
    const before = this.kept.length;
    this.kept = this.kept
      .filter(({ seenAt }) => seenAt > at - longestMs)
      .sort((a, b) => a.seenAt - b.seenAt || a.key - b.key)
      .slice(-mostEpisodes);
    if (this.kept.length !== before) this.changes += 1;
  }

  private put({ id, root, consequences }: Explained, at: number): void {
    const known = this.kept.findLast((one) => one.signal.id === id && one.seenAt >= at - againMs);
    const one = known ?? this.begin(root, at);
    if (one === null) return;
    this.changes += 1;
    one.seenAt = at;
    if (root !== null) {
      one.signal = root;
      one.times += root.times ?? 0;
      one.endedAt = root.times === null ? null : at;
    } else if (one.times > 0) one.endedAt = at;
    one.now = consequences;
    for (const signal of consequences) this.addConsequence(one, signal);
    this.absorb(one, consequences, at);
  }

  private begin(signal: Signal | null, at: number): Kept | null {
    if (signal === null) return null;
    // Of the process before: nobody looked in between.
    for (const one of this.kept) if (one.signal.id === signal.id) one.endedAt ??= one.seenAt;
    const rounds = { late: 0, partial: 0 };
    const one: Kept = {
      ...{ key: ++this.keys, signal, times: 0, beganAt: at, endedAt: null, seenAt: at },
      ...{ consequences: new Map(), now: [], rounds },
    };
    this.kept.push(one);
    return one;
  }

  private addConsequence({ consequences }: Kept, signal: Signal): void {
    if (consequences.has(signal.id) || consequences.size < mostConsequences)
      consequences.set(signal.id, lineOf(signal));
  }

  /** What was taken for a cause before the one behind it was seen. */
  private absorb(one: Kept, consequences: readonly Signal[], at: number): void {
    const ids = new Set(consequences.map(({ id }) => id));
    const isOf = (other: Kept): boolean => {
      if (other === one || other.seenAt < at - 3 * noticeMs || other.beganAt < one.beganAt - 3 * noticeMs)
        return false;
      return ids.has(other.signal.id) || explanationOf(other.signal, [one.signal.id]) !== null;
    };
    for (const other of this.kept.filter(isOf)) {
      one.beganAt = Math.min(one.beganAt, other.beganAt);
      one.rounds.late += other.rounds.late;
      one.rounds.partial += other.rounds.partial;
      if (!isOfRounds(other.signal)) this.addConsequence(one, other.signal);
      this.kept.splice(this.kept.indexOf(other), 1);
    }
  }

  /**
   * Rounds that were decided since the look before and suffered: each is a cost of whatever of its possible causes was
   * there meanwhile, or, where there was none, something that happened by itself.
   */
  suffered(rounds: readonly Sufferer[], at: number): void {
    for (const { signal, cost, from, to } of rounds) {
      const causes = this.kept.filter(
        (one) => isMeanwhile(one, from, to) && explanationOf(signal, [one.signal.id]) !== null,
      );
      for (const one of causes) one.rounds[cost] += 1;
      if (causes.length === 0) this.put({ id: signal.id, root: signal, consequences: [] }, at);
      this.changes += 1;
    }
  }

  /** Causes that still explain what comes behind them, the newest first. */
  lately(at: number): string[] {
    const those = this.kept.filter(({ seenAt }) => seenAt >= at - explainsMs);
    const endOf = ({ endedAt }: Kept): number => endedAt ?? Infinity;
    return those.sort((a, b) => endOf(b) - endOf(a)).map(({ signal }) => signal.id);
  }

  /** What another process needs to go on with these; the oldest first. */
  stored(): StoredEpisode[] {
    return this.kept.map(({ key: _key, now: _now, consequences, ...rest }) => ({
      ...rest,
      consequences: [...consequences],
    }));
  }

  /**
   * Goes on with what the process before kept. What lasted then, and is seen within half a minute of that, is the same; the
   * rest has ended. Also later than at the start, where what is there by now began before it was known. Returns how many were
   * left out, as of a time far ahead.
   */
  restore(all: readonly StoredEpisode[], at: number): number {
    const stored = withoutFuture(all, at);
    const ahead = Math.max(0, ...stored.map((one) => aheadOf(one, at)));
    const older = stored.flatMap((one) => {
      const { signal, beganAt, endedAt, seenAt } = one;
      const shifted = { beganAt: beganAt - ahead, seenAt: seenAt - ahead };
      const known = this.kept.find(
        (other) => other.signal.id === signal.id && other.beganAt - shifted.seenAt <= againMs,
      );
      if (known !== undefined) {
        // From before it was seen here, or seen by another console at that time.
        const both = shifted.seenAt < known.beganAt ? sum : Math.max;
        goOn(known, { ...one, ...shifted }, mostConsequences, both);
        return [];
      }
      const end = endedAt === null ? null : endedAt - ahead;
      const isOfThePast = this.lookedAt > -Infinity || shifted.seenAt < at - againMs;
      const ended = end ?? (isOfThePast ? shifted.seenAt : null);
      return [this.keptOf({ ...one, ...shifted, endedAt: ended })];
    });
    this.kept = [...older, ...this.kept];
    this.changes += 1;
    this.forget(at);
    return all.length - stored.length;
  }

  /** Takes in what another console of the same deployment keeps. Again and again: what is known changes nothing. */
  merge(stored: readonly StoredEpisode[], at: number): void {
    const others = takeIn(this.kept, stored, { at, againMs, mostConsequences });
    this.kept.push(...others.map((one) => this.keptOf(one)));
    this.changes += 1;
    this.forget(at);
  }

  private keptOf(one: StoredEpisode): Kept {
    const copied = { consequences: new Map(one.consequences), rounds: { ...one.rounds } };
    return { ...one, ...copied, now: [], key: ++this.keys };
  }

  /** The newest first. */
  all(): Episode[] {
    return this.kept.map(episodeOf).reverse();
  }

  /** Trouble first, what is over but for its consequences last. */
  standing(): Standing[] {
    const those = this.kept.filter(({ endedAt, now }) => endedAt === null || now.length > 0);
    const found = those.map((one) => {
      const level = worst(isOver(one) ? one.now : [one.signal, ...one.now]);
      return { ...episodeOf(one), level, now: one.now.map(lineOf) };
    });
    const rank = (one: Standing): number => Number(one.level === 'warn') + 2 * Number(isOver(one));
    return found.sort((a, b) => rank(a) - rank(b) || a.beganAt - b.beganAt);
  }
}

/** What happened has no end of its own: it stands as long as something follows from it. */
const isOver = ({ times, endedAt }: Pick<Kept, 'times' | 'endedAt'>): boolean =>
  times === 0 && endedAt !== null;

/** What happened again and again was not there in between. */
function isMeanwhile({ times, beganAt, endedAt, seenAt }: Kept, from: number, to: number): boolean {
  const begin = times > 0 ? seenAt : beganAt;
  return to >= begin - noticeMs && from <= (endedAt === null ? Infinity : Math.max(endedAt, seenAt));
}

const sum = (a: number, b: number): number => a + b;

const isOfRounds = ({ id }: Signal): boolean => id.startsWith('rounds:');

function episodeOf({ key, signal, times, beganAt, endedAt, consequences, rounds }: Kept): Episode {
  const all = [...consequences.values()];
  return {
    ...{ key, cause: signal.id, ...lineOf(signal), level: worst([signal, ...all]) },
    ...{ times, beganAt, endedAt, consequences: all, rounds: { ...rounds }, report: signal.report ?? null },
  };
}
