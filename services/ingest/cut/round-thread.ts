import { parentPort, workerData } from 'node:worker_threads';
import { stepsInBetween } from '#lib/steps-in-between';
import { TravelMatrices } from '#lib/travel-matrices';
import type { OutgoingMessage } from '#lib/bus/port';
import type { RoundLimits } from '#policy/validation/index';
import type { DispatchRound } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { PhaseClock } from '#schemas/phases';
import { parseJson } from '../read/parse-json';
import { readRound, type ReadingJob, type RoundReading } from '../read/round-reading';
import { cutMessages, type CutJob, type CutResult } from './cut-messages';
import { practiceRounds } from './practice-rounds';

export interface RoundThreadData {
  readonly modelsDir: string;
  /** Reading and cutting are practised until the first job comes. */
  readonly practises: boolean;
}

/** Without what can't be cloned. */
export type SentLimits = Omit<RoundLimits, 'matrixOf'>;

/** What is asked of the thread. `read` keeps the round under its number until it is dropped; `drop` has no answer. */
export type RoundJob =
  | {
      readonly kind: 'read';
      readonly number: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly maxElements: number;
      readonly job: Omit<ReadingJob, 'limits'> & { readonly limits: SentLimits };
    }
  | { readonly kind: 'cut'; readonly round: DispatchRound; readonly job: CutJob }
  | { readonly kind: 'cut read'; readonly number: number; readonly job: CutJob }
  | { readonly kind: 'drop'; readonly number: number };

/** Errors of ours go over as their fields: a clone of one is a plain Error. */
export type RoundAnswer =
  | { readonly reading: RoundReading }
  | { readonly result: CutResult }
  | { readonly refused: Pick<RoundhouseError, 'code' | 'message' | 'faults'> };

type Answered = Exclude<RoundJob, { kind: 'drop' }>;

class RoundThread {
  private readonly rounds = new Map<number, DispatchRound>();

  constructor(private readonly matrices: TravelMatrices) {}

  answer(job: Answered): RoundAnswer {
    try {
      return this.work(job);
    } catch (error) {
      if (!(error instanceof RoundhouseError)) throw error;
      const { code, message, faults } = error;
      return { refused: { code, message, faults } };
    }
  }

  drop(number: number): void {
    this.rounds.delete(number);
  }

  private work(job: Answered): RoundAnswer {
    if (job.kind === 'read') return { reading: this.read(job) };
    if (job.kind === 'cut') return { result: this.cut(job.round, job.job) };
    const round = this.rounds.get(job.number);
    if (round === undefined) {
      throw new RoundhouseError('INGEST_BUSY', 'the thread that had read the round ended: send it again');
    }
    return { result: this.cut(round, job.job) };
  }

  private read({ number, bytes, maxElements, job }: Extract<RoundJob, { kind: 'read' }>): RoundReading {
    const clock = new PhaseClock();
    const body = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { maxElements });
    clock.ends('parse');
    const limits = { ...job.limits, matrixOf: (hash: string) => this.matrices.find(hash) };
    const { reading, round } = readRound(body, { ...job, limits }, clock);
    if (round !== null) this.rounds.set(number, round);
    return reading;
  }

  private cut(round: DispatchRound, job: CutJob): CutResult {
    const { shards, manifest, ...rest } = cutMessages(round, job, this.matrices);
    return { ...rest, shards: shards.map(ownBytes), manifest: ownBytes(manifest) };
  }
}

/** The codec may write into a shared slab: a copy can be handed over without it. */
function ownBytes(message: OutgoingMessage): OutgoingMessage {
  const bytes = new Uint8Array(message.value!);
  return { ...message, value: Buffer.from(bytes.buffer) };
}

function transferred(answer: RoundAnswer): ArrayBuffer[] {
  if (!('result' in answer)) return [];
  const { manifest, shards } = answer.result;
  return [manifest, ...shards].map(({ value }) => value!.buffer as ArrayBuffer);
}

if (parentPort) {
  const port = parentPort;
  const { modelsDir, practises } = workerData as RoundThreadData;
  const matrices = new TravelMatrices(modelsDir);
  const thread = new RoundThread(matrices);
  let isNeeded = !practises;
  void stepsInBetween(practiceRounds(matrices), () => isNeeded);
  port.on('message', (job: RoundJob) => {
    isNeeded = true;
    if (job.kind === 'drop') return thread.drop(job.number);
    const answer = thread.answer(job);
    port.postMessage(answer, transferred(answer));
  });
}
