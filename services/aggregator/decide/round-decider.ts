import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { JobThread } from '#lib/job-thread';
import { hasSpareCores } from '#lib/spare-cores';
import type { TravelMatrices } from '#lib/travel-matrices';
import { warmUpSteps } from '#policy/assignment/warm-up';
import { PhaseClock, type Phases } from '#schemas/phases';
import { candidatesOf, type OpenRound } from '../join/open-round';
import { decideAndEncode, encodeNothing, type DecideJob } from './decide-job';
import type { DecideThreadData, ThreadAnswer, ThreadJob } from './decide-thread';
import { summaryOf, type DecisionSummary } from './decision-summary';

export interface RoundDecision {
  readonly bytes: Buffer;
  readonly summary: DecisionSummary;
  readonly phases: Phases;
}

/** Some 50 ms of deciding, which other rounds that are due may wait for. */
const MOST_CANDIDATES_HERE = 5_000;

/**
 * Decides small rounds at once and large ones in a thread of its own, one after the other, so that the timers
 * of other rounds keep their time. A round with which the thread ended is decided without its plans.
 */
export class RoundDecider {
  private readonly thread: JobThread<ThreadJob, ThreadAnswer>;
  private last: Promise<unknown> = Promise.resolve();
  private readonly numbers = new WeakMap<OpenRound, number>();
  private nextNumber = 0;

  constructor(
    modelsDir: string,
    private readonly matrices: TravelMatrices,
  ) {
    const file = join(__dirname, 'decide-thread.js');
    const data: DecideThreadData = { modelsDir, practises: hasSpareCores() };
    this.thread = new JobThread(file, data, 'decides large rounds');
  }

  /** Starts the thread, and has the code compiled that deciding runs; other work goes on in between. */
  async warmUp(): Promise<void> {
    this.thread.start();
    for (const solution of warmUpSteps()) {
      void solution;
      await setImmediate();
    }
  }

  isLarge(open: OpenRound): boolean {
    return candidatesOf(open) > MOST_CANDIDATES_HERE;
  }

  /** For a round that will be decided: what can be done before its outcomes are there. */
  prepare(open: OpenRound): void {
    if (!this.isLarge(open)) return;
    this.thread.tell({
      kind: 'prepare',
      number: this.numberOf(open),
      manifestBytes: open.parts.manifestBytes,
    });
  }

  async decide(open: OpenRound, stale: boolean, onThrown: (error: unknown) => void): Promise<RoundDecision> {
    const { manifest, manifestBytes } = open.parts;
    const closedBy = open.isComplete() ? 'complete' : 'deadline';
    const job: DecideJob = { manifest, outcomes: open.outcomes(), closedBy, stale };
    const clock = new PhaseClock();
    if (!this.isLarge(open)) return summed(decideAndEncode(job, this.matrices, onThrown), clock);
    const number = this.numberOf(open);
    const asked = { kind: 'decide' as const, number, manifestBytes, ...withoutManifest(job) };
    const turn = this.last.then(() => this.thread.ask(asked));
    this.last = turn.catch(() => undefined);
    try {
      const { bytes, summary, thrown, phases } = await turn;
      thrown.forEach(onThrown);
      clock.ends('aside');
      const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return { bytes: own, summary, phases: { ...phases, ...clock.phases } };
    } catch (error) {
      onThrown(error);
      return summed(encodeNothing(job), clock);
    }
  }

  private numberOf(open: OpenRound): number {
    const known = this.numbers.get(open);
    if (known !== undefined) return known;
    this.numbers.set(open, this.nextNumber);
    return this.nextNumber++;
  }

  stop(): Promise<void> {
    return this.thread.stop();
  }
}

function summed({ content, bytes }: ReturnType<typeof encodeNothing>, clock: PhaseClock): RoundDecision {
  clock.ends('decide');
  return { bytes, summary: summaryOf(content), phases: clock.phases };
}

function withoutManifest({ outcomes, closedBy, stale }: DecideJob): Omit<DecideJob, 'manifest'> {
  return { outcomes, closedBy, stale };
}
