import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { OutgoingMessage } from '#lib/bus/port';
import { JobThread } from '#lib/job-thread';
import { hasSpareCores } from '#lib/spare-cores';
import type { TravelMatrices } from '#lib/travel-matrices';
import type { DispatchRound } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { PhaseClock } from '#schemas/phases';
import { readRound, type ReadingJob, type RoundReading } from '../read/round-reading';
import { cutMessages, type CutJob, type CutResult } from './cut-messages';
import { isLarge } from './is-large';
import type { BodyBytes, RoundBody } from './round-body';
import { partThreads } from './round-parts';
import type { RoundAnswer, RoundJob, RoundThreadData } from './round-thread';
import { sendable } from './sent-limits';
import { TurnLine } from './turn-line';

/** A submission that was read; it stands in memory until it is dropped. */
export interface SubmittedRound {
  readonly reading: RoundReading;
  /** `stillWanted` throws where the round's turn comes too late. */
  cut(job: CutJob, stillWanted: () => void): Promise<CutResult>;
  drop(): void;
}

/**
 * Reads and cuts small rounds at once and large ones in a thread of their own, one after the other, so that neither
 * small rounds nor timers wait for them; a round that was read is cut before the next one is read. A thread that ends
 * is made anew for the next round.
 */
export class RoundCutter {
  private readonly thread: JobThread<RoundJob, RoundAnswer>;
  private readonly line = new TurnLine();
  private reads = 0;
  private stopped = false;

  constructor(
    modelsDir: string,
    private readonly matrices: TravelMatrices,
    maxCandidates: number,
    private readonly practises = hasSpareCores(),
    helpers = partThreads(availableParallelism()),
  ) {
    const data: RoundThreadData = { modelsDir, practises: this.practises, helpers, maxCandidates };
    this.thread = new JobThread(join(__dirname, 'round-thread.js'), data, 'cuts large rounds');
  }

  /** Has the thread practise where cores are left for it; elsewhere it is started when it is needed. */
  warmUp(): void {
    if (this.practises) this.thread.start();
  }

  /** Rejects with ROUND_TOO_LARGE or PAYLOAD_INVALID for bytes that are no body; other faults stand in the reading. */
  read(body: RoundBody, job: ReadingJob): Promise<SubmittedRound> {
    return 'bytes' in body ? this.readAside(body, job) : Promise.resolve(this.readHere(body, job));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.thread.stop();
  }

  private readHere({ body }: { readonly body: unknown }, job: ReadingJob): SubmittedRound {
    const { reading, round } = readRound(body, job, new PhaseClock());
    return {
      reading,
      cut: (cutJob, stillWanted) => this.cutRead(round!, cutJob, stillWanted),
      drop: () => undefined,
    };
  }

  private async cutRead(round: DispatchRound, job: CutJob, stillWanted: () => void): Promise<CutResult> {
    if (!isLarge(round)) return cutMessages(round, job, this.matrices);
    return resultOf(await this.inTurn({ kind: 'cut', round, job }, stillWanted));
  }

  private async readAside(
    { bytes, format, maxElements }: BodyBytes,
    { now, limits, tenant }: ReadingJob,
  ): Promise<SubmittedRound> {
    const number = this.reads++;
    const own = new Uint8Array(bytes);
    const job = { now, tenant, limits: sendable(limits) };
    const reading = readingOf(
      await this.inTurn({ kind: 'read', number, bytes: own, format, maxElements, job }),
    );
    return {
      reading,
      cut: async (cutJob, stillWanted) =>
        resultOf(await this.inTurn({ kind: 'cut read', number, job: cutJob }, stillWanted)),
      drop: () => this.thread.tell({ kind: 'drop', number }),
    };
  }

  private inTurn(job: RoundJob, stillWanted: () => void = () => undefined): Promise<RoundAnswer> {
    const turn = async (): Promise<RoundAnswer> => {
      stillWanted();
      if (this.stopped) throw new RoundhouseError('SHUTTING_DOWN', 'ingest is stopping');
      return this.thread.ask(job, job.kind === 'read' ? [job.bytes.buffer] : []);
    };
    return this.line.run(turn, job.kind !== 'read');
  }
}

function readingOf(answer: RoundAnswer): RoundReading {
  if ('reading' in answer) return answer.reading;
  throw refusalOf(answer);
}

function resultOf(answer: RoundAnswer): CutResult {
  if (!('result' in answer)) throw refusalOf(answer);
  const { shards, manifest, ...rest } = answer.result;
  return { ...rest, shards: shards.map(received), manifest: received(manifest) };
}

function refusalOf(answer: RoundAnswer): RoundhouseError {
  if (!('refused' in answer)) return new RoundhouseError('INTERNAL', 'the thread answered another question');
  const { code, message, faults } = answer.refused;
  return new RoundhouseError(code, message, faults);
}

/** A Buffer comes out of another thread as a Uint8Array. */
function received(message: OutgoingMessage): OutgoingMessage {
  const { buffer, byteOffset, byteLength } = message.value!;
  return { ...message, value: Buffer.from(buffer, byteOffset, byteLength) };
}
