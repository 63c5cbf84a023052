import { OutcomeReader } from '#policy/join/outcome-reader';
import { roundIndex, type RoundIndex } from '#policy/join/round-index';
import { roundsCodec } from '#schemas/codec';
import type { RoundManifest, ShardOutcome } from '#schemas/domain';

/** Rounds that the thread was told of and that wait for their decisions, each some ten times as large as its bytes. */
const MOST_ROUNDS = 8;

export interface ToldRound {
  readonly manifest: RoundManifest;
  /** Absent where the round's points can't be used: deciding finds out again, and says so. */
  readonly index?: RoundIndex;
  /** By shard. */
  readonly outcomes: Map<number, ShardOutcome>;
  readonly reader: OutcomeReader;
}

/** What the thread knows of rounds before they are to be decided; the oldest are dropped. */
export class ToldRounds {
  private readonly byNumber = new Map<number, ToldRound>();

  add(number: number, manifestBytes: Uint8Array): ToldRound {
    const known = decoded(manifestBytes);
    const reader = new OutcomeReader(known.manifest);
    const round = { ...known, outcomes: new Map<number, ShardOutcome>(), reader };
    this.byNumber.set(number, round);
    if (this.byNumber.size > MOST_ROUNDS) this.byNumber.delete(this.byNumber.keys().next().value!);
    return round;
  }

  /**
   * One of a round that isn't known any more is of no use. It is read while the thread waits for the others; where that
   * fails, deciding finds out again, and says so.
   */
  addOutcome(number: number, outcome: ShardOutcome): void {
    const round = this.byNumber.get(number);
    if (round === undefined) return;
    round.outcomes.set(outcome.shardIndex, outcome);
    try {
      round.reader.read(outcome);
    } catch {
      return;
    }
  }

  /** Undefined where the round or one of these outcomes isn't here. */
  find(number: number, shards: readonly number[]): ToldRound | undefined {
    const round = this.byNumber.get(number);
    return round !== undefined && shards.every((shard) => round.outcomes.has(shard)) ? round : undefined;
  }

  drop(number: number): void {
    this.byNumber.delete(number);
  }
}

function decoded({ buffer, byteOffset, byteLength }: Uint8Array): Pick<ToldRound, 'manifest' | 'index'> {
  const manifest = roundsCodec.decode(Buffer.from(buffer, byteOffset, byteLength));
  try {
    return { manifest, index: roundIndex(manifest.round) };
  } catch {
    return { manifest };
  }
}
