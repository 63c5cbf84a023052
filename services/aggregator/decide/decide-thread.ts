import { parentPort, workerData } from 'node:worker_threads';
import { stepsInBetween } from '#lib/steps-in-between';
import { TravelMatrices } from '#lib/travel-matrices';
import type { Packer } from '#policy/assignment/set-packing';
import { warmUpSteps } from '#policy/assignment/warm-up';
import type { Effort } from '#policy/join/decision-effort';
import type { ShardOutcome } from '#schemas/domain';
import { PhaseClock, type Phases } from '#schemas/phases';
import { nativePacker } from '#native/packing/native-packer';
import { decideAndEncode, type DecidingMeans } from './decide-job';
import { summaryOf, type DecisionSummary } from './decision-summary';
import { practiceDecisions } from './practice-decisions';
import { ToldRounds, type ToldRound } from './told-rounds';

export interface DecideThreadData {
  readonly modelsDir: string;
  /** Deciding is practised until the first job comes. */
  readonly practises: boolean;
  /** That a decision may use. */
  readonly threads: number;
}

interface Numbered {
  /** The round's, in this process. */
  readonly number: number;
}

export interface DecideAsked extends Numbered {
  readonly kind: 'decide';
  /** Null where the thread should have it. */
  readonly manifestBytes: Uint8Array | null;
  /** Shards whose outcomes the thread should have. */
  readonly told: readonly number[];
  /** All others. */
  readonly outcomes: ReadonlyMap<number, ShardOutcome>;
  readonly closedBy: 'complete' | 'deadline';
  readonly stale: boolean;
  readonly effort: Exclude<Effort, 'none'>;
}

/** Only `decide` has an answer. The manifest and the outcomes are told before the round is to be decided. */
export type ThreadJob =
  | (Numbered & { readonly kind: 'prepare'; readonly manifestBytes: Uint8Array })
  | (Numbered & { readonly kind: 'outcome'; readonly outcome: ShardOutcome })
  | (Numbered & { readonly kind: 'drop' })
  | DecideAsked;

export interface DecidedThere {
  readonly kind: 'decided';
  readonly bytes: Uint8Array;
  readonly summary: DecisionSummary;
  readonly thrown: readonly string[];
  readonly phases: Phases;
}

/** `lacking`: what it should have isn't there, and it has to be asked with all of it. */
export type ThreadAnswer = DecidedThere | { readonly kind: 'lacking' };

/** Answers jobs, whatever thread it runs in. */
export class DecidingThread {
  private readonly rounds = new ToldRounds();

  constructor(private readonly means: DecidingMeans) {}

  /** Null for what has no answer. */
  answer(job: ThreadJob): ThreadAnswer | null {
    if (job.kind === 'decide') return this.decide(job);
    if (job.kind === 'outcome') this.rounds.addOutcome(job.number, job.outcome);
    else if (job.kind === 'drop') this.rounds.drop(job.number);
    else this.prepare(job);
    return null;
  }

  /** Bytes that nobody has read before: those that are no manifest go to the dead letters elsewhere. */
  private prepare({ number, manifestBytes }: Extract<ThreadJob, { kind: 'prepare' }>): void {
    try {
      this.rounds.add(number, manifestBytes);
    } catch {
      this.rounds.drop(number);
    }
  }

  private decide(job: DecideAsked): ThreadAnswer {
    const clock = new PhaseClock();
    const round = this.roundOf(job);
    if (round === undefined) return { kind: 'lacking' };
    clock.ends('manifest');
    const { manifest, index, reader } = round;
    const { closedBy, stale, effort } = job;
    const thrown: string[] = [];
    const outcomes = new Map([
      ...job.outcomes,
      ...job.told.map((shard) => [shard, round.outcomes.get(shard)!] as const),
    ]);
    const { content, bytes } = decideAndEncode(
      { manifest, outcomes, closedBy, stale, effort, reader, ...(index && { index }) },
      this.means,
      (error) => thrown.push(String(error)),
    );
    clock.ends('decide');
    return { kind: 'decided', bytes, summary: summaryOf(content), thrown, phases: clock.phases };
  }

  private roundOf({ number, manifestBytes, told }: DecideAsked): ToldRound | undefined {
    return manifestBytes === null ? this.rounds.find(number, told) : this.rounds.add(number, manifestBytes);
  }
}

/** Undefined where the addon isn't there: the policy's own code gives the same, and takes longer. */
function packerOf(threads: number): Packer | undefined {
  try {
    return nativePacker(threads);
  } catch {
    return undefined;
  }
}

if (parentPort) {
  const port = parentPort;
  const { modelsDir, practises, threads } = workerData as DecideThreadData;
  const packer = packerOf(threads);
  const means: DecidingMeans = { matrices: new TravelMatrices(modelsDir), ...(packer && { packer }) };
  const thread = new DecidingThread(means);
  let isNeeded = !practises;
  for (const solution of warmUpSteps()) void solution;
  void stepsInBetween(practiceDecisions(means), () => isNeeded);
  port.on('message', (job: ThreadJob) => {
    isNeeded = true;
    const answer = thread.answer(job);
    if (answer !== null) port.postMessage(answer);
  });
}
