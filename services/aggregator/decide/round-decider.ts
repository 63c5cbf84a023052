import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { JobThread } from '#lib/job-thread';
import { hasSpareCores } from '#lib/spare-cores';
import type { TravelMatrices } from '#lib/travel-matrices';
import { warmUpSteps } from '#policy/assignment/warm-up';
import { movesWork } from '#policy/prepositioning/prepositioning-moves';
import { keptMs, type Effort } from '#policy/join/decision-effort';
import { PhaseClock, type Phases } from '#schemas/phases';
import { candidatesOf, placeOf, type OpenRound } from '../join/open-round';
import { decideAndEncode, encodeNothing, type DecideJob, type EncodedDecision } from './decide-job';
import { DecisionTurns, type TurnOf } from './decision-turns';
import { DecidingPace } from './deciding-pace';
import type { DecideThreadData, ThreadAnswer, ThreadJob } from './decide-thread';
import { summaryOf, type DecisionSummary } from './decision-summary';
import { HandOvers } from './hand-overs';
import { LargeDecisions, type MadeDecision } from './large-decisions';

export interface RoundDecision {
  readonly bytes: Buffer;
  readonly summary: DecisionSummary;
  readonly phases: Phases;
  readonly effort: Effort;
}

/** Some 50 ms of deciding, which other rounds that are due may wait for. */
const MOST_CANDIDATES_HERE = 5_000;
/** As much, for moves of idle couriers. */
const MOST_MOVES_WORK_HERE = 2_000_000;
/** A manifest of so many bytes takes the event loop milliseconds to decode. */
const FORESEEN_BYTES = 512 * 1024;
/** A machine has one thread for large rounds for so many cores, this many at most. */
const CORES_A_THREAD = 6;
const MOST_THREADS = 3;
/** The loops of a decision are shared by so many threads where the cores are there. */
const THREADS_A_DECISION = 4;

/** `cores`: of the machine. */
export function decidingThreads(cores: number): { readonly threads: number; readonly eachUses: number } {
  const threads = Math.max(1, Math.min(MOST_THREADS, Math.floor(cores / CORES_A_THREAD)));
  return { threads, eachUses: cores < 4 ? 1 : Math.min(THREADS_A_DECISION, Math.floor(cores / 2)) };
}

/**
 * Decides small rounds at once and large ones in threads of their own, so that the timers of other rounds keep their time.
 * A round with which its thread ended is decided without its plans; so is one whose time runs out before it is decided.
 */
export class RoundDecider {
  private readonly sides: readonly LargeDecisions[];
  private readonly handOvers: HandOvers<OpenRound>;
  private readonly turns: DecisionTurns;

  constructor(
    modelsDir: string,
    readonly matrices: TravelMatrices,
    closeMarginMs: number,
    sides: readonly LargeDecisions[] = decidingSides(modelsDir),
  ) {
    this.sides = sides;
    this.handOvers = new HandOvers(closeMarginMs);
    this.turns = new DecisionTurns(this.handOvers);
  }

  /** Starts the threads, and has the code compiled that deciding runs; other work goes on in between. */
  async warmUp(): Promise<void> {
    for (const side of this.sides) side.start();
    for (const solution of warmUpSteps()) {
      void solution;
      await setImmediate();
    }
  }

  isLarge(open: OpenRound): boolean {
    if (candidatesOf(open) > MOST_CANDIDATES_HERE) return true;
    return movesWork(open.parts.manifest.round) > MOST_MOVES_WORK_HERE;
  }

  /** For a manifest that was not decoded yet. */
  foresee(manifestBytes: Buffer): void {
    if (manifestBytes.byteLength >= FORESEEN_BYTES) this.leastLoaded().foresee(manifestBytes);
  }

  /** It is the manifest of no round that is to be decided, or its round took it over. */
  dismiss(manifestBytes: Buffer): void {
    for (const side of this.sides) side.dismiss(manifestBytes);
  }

  /** For a round that will be decided: what can be done before its outcomes are there. */
  prepare(open: OpenRound): void {
    if (this.isLarge(open)) this.sideOf(open).prepare(open);
  }

  /** Outcomes may have come. */
  outcomeAdded(open: OpenRound): void {
    this.sides.find((side) => side.has(open))?.tellOutcomes(open);
  }

  /** The round needs no decision any more. */
  forget(open: OpenRound): void {
    this.handOvers.ended(open);
    for (const side of this.sides) side.forget(open);
  }

  async decide(open: OpenRound, stale: boolean, onThrown: (error: unknown) => void): Promise<RoundDecision> {
    if (!this.isLarge(open)) return this.decideHere(open, stale, onThrown);
    const job = jobOf(open, stale);
    const clock = new PhaseClock();
    try {
      const made = await this.sideOf(open).decide(open, stale, this.until(open));
      if (made === null) return decidedHere(encodeNothing(job, 'DEADLINE_EXCEEDED'), clock, 'none');
      made.answer.thrown.forEach(onThrown);
      return decidedAside(made, clock);
    } catch (error) {
      onThrown(error);
      return decidedHere(encodeNothing(job), clock, 'full');
    }
  }

  /** The decision is on its way to Redis and Kafka, until the round is forgotten. */
  handsOver(open: OpenRound): void {
    this.handOvers.began(open);
  }

  /** In its turn; what came until then counts. */
  private async decideHere(
    open: OpenRound,
    stale: boolean,
    onThrown: (error: unknown) => void,
  ): Promise<RoundDecision> {
    const candidates = candidatesOf(open);
    const clock = new PhaseClock();
    const effort = await this.turns.take({ ...placeOf(open), candidates, until: this.untilHere(open) });
    clock.ends('wait');
    const job = jobOf(open, stale);
    if (effort === 'none') return decidedHere(encodeNothing(job, 'DEADLINE_EXCEEDED'), clock, effort);
    return decidedHere(decideAndEncode({ ...job, effort }, this, onThrown), clock, effort);
  }

  async stop(): Promise<void> {
    await Promise.all(this.sides.map((side) => side.stop()));
  }

  /** The thread that has the round already, else the one with the fewest candidates. */
  private sideOf(open: OpenRound): LargeDecisions {
    const own = this.sides.find((side) => side.has(open));
    return own ?? this.leastLoaded();
  }

  private leastLoaded(): LargeDecisions {
    return this.sides.reduce((least, side) => (side.load < least.load ? side : least));
  }

  /**
   * Until when deciding a round, or the claim of its decision, may take, Unix ms: half of the time that is left at least.
   * Null for an overdue round, which is decided in full.
   */
  until({ round: { deadline } }: OpenRound): number | null {
    const left = deadline - Date.now();
    return left <= 0 ? null : deadline - Math.min(this.handOvers.neededMs(), left / 2);
  }

  /** As `until`, on the event loop, by what is to be kept at its turn. */
  private untilHere({ round: { deadline } }: OpenRound): TurnOf['until'] {
    const left = deadline - Date.now();
    if (left <= 0) return () => null;
    return (neededMs) => deadline - keptMs(left, neededMs);
  }
}

/** `onHung`: a thread took so many milliseconds and was replaced. */
export function decidingSides(modelsDir: string, onHung?: (ms: number) => void): LargeDecisions[] {
  const { threads, eachUses } = decidingThreads(availableParallelism());
  const data: DecideThreadData = { modelsDir, practises: hasSpareCores(), threads: eachUses };
  return Array.from(
    { length: threads },
    () => new LargeDecisions(threadFor(data), new DecidingPace(), Date.now, onHung),
  );
}

function threadFor(data: DecideThreadData): JobThread<ThreadJob, ThreadAnswer> {
  return new JobThread(join(__dirname, 'decide-thread.js'), data, 'decides large rounds');
}

function jobOf(open: OpenRound, stale: boolean): DecideJob {
  const closedBy = open.isComplete() ? 'complete' : 'deadline';
  return { manifest: open.parts.manifest, outcomes: open.outcomes(), closedBy, stale };
}

function decidedHere({ content, bytes }: EncodedDecision, clock: PhaseClock, effort: Effort): RoundDecision {
  clock.ends('decide');
  return { bytes, summary: summaryOf(content), phases: clock.phases, effort };
}

function decidedAside(
  { answer: { bytes, summary, phases }, effort }: MadeDecision,
  clock: PhaseClock,
): RoundDecision {
  clock.ends('aside');
  const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes: own, summary, phases: { ...phases, ...clock.phases }, effort };
}
