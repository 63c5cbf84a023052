import type { TravelMatrices } from '#lib/travel-matrices';
import type { OutgoingMessage } from '#lib/bus/port';
import type { CutLimits } from '#policy/sharding/index';
import type { DispatchRound } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { PhaseClock } from '#schemas/phases';
import { parseBody } from '../read/parse-body';
import { contentHashOf, findRound, type RoundReading } from '../read/round-reading';
import { BegunRound } from './begun-round';
import { asClaimed, cutMessages, viewOf, type CutJob, type CutResult } from './cut-messages';
import type { BegunParts, RoundParts } from './round-parts';
import type { RoundAnswer, RoundJob } from './round-thread';

type Answered = Exclude<RoundJob, { kind: 'drop' }>;
type ReadJob = Extract<RoundJob, { kind: 'read' }>;

interface KeptRound {
  readonly round: DispatchRound;
  /** What was made of it before its claim, where other threads help. */
  readonly begun: BegunRound | null;
}

/** Reads bodies, keeps their rounds, and cuts them; with the help of other threads where there are any. */
export class ReadingThread {
  private readonly rounds = new Map<number, KeptRound>();
  /** Of the round that was cut last. */
  private limits: CutLimits | null = null;

  constructor(
    private readonly matrices: TravelMatrices,
    private readonly parts: RoundParts,
  ) {}

  /** Rejects for faults of ours alone. */
  async answer(job: Answered): Promise<RoundAnswer> {
    try {
      return await this.work(job);
    } catch (error) {
      if (!(error instanceof RoundhouseError)) throw error;
      const { code, message, faults } = error;
      return { refused: { code, message, faults } };
    }
  }

  drop(number: number): void {
    this.rounds.delete(number);
  }

  private async work(job: Answered): Promise<RoundAnswer> {
    if (job.kind === 'read') return { reading: await this.read(job) };
    this.limits = job.job.limits;
    if (job.kind === 'cut') return { result: ownMessages(cutMessages(job.round, job.job, this.matrices)) };
    const kept = this.rounds.get(job.number);
    if (kept === undefined) {
      throw new RoundhouseError('INGEST_BUSY', 'the thread that had read the round ended: send it again');
    }
    return { result: ownMessages(await this.cut(kept, job.job)) };
  }

  private async read({ number, bytes, format, maxElements, job }: ReadJob): Promise<RoundReading> {
    const clock = new PhaseClock();
    const parts = this.parts.begin(bytes, { format, maxElements, job });
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const body = parseBody(own, format, { maxElements });
    clock.ends('parse');
    const limits = { ...job.limits, matrixOf: (hash: string) => this.matrices.find(hash) };
    const found = findRound(body, { ...job, limits }, clock);
    if (found.kind === 'invalid') return found.reading;
    const begun = this.begun(found.round, parts);
    this.rounds.set(number, { round: found.round, begun });
    if (parts !== null) clock.ends('view');
    const contentHash = (await parts?.contentHash) ?? contentHashOf(found);
    clock.ends('hash');
    const isKept = () => this.rounds.has(number);
    if (found.reading.kind === 'valid' && this.limits !== null) begun?.cutAhead(this.limits, isKept);
    return { ...found.reading, contentHash, phases: clock.phases };
  }

  /** While another thread hashes the content. */
  private begun(round: DispatchRound, parts: BegunParts | null): BegunRound | null {
    return parts === null ? null : new BegunRound(viewOf(round, this.matrices), parts);
  }

  private async cut({ round, begun }: KeptRound, job: CutJob): Promise<CutResult> {
    if (begun === null || begun.maxCandidates !== job.limits.maxCandidates) {
      return cutMessages(round, job, this.matrices);
    }
    return begun.cut(asClaimed(round, job), job);
  }
}

function ownMessages({ shards, manifest, ...rest }: CutResult): CutResult {
  return { ...rest, shards: shards.map(ownMessage), manifest: ownMessage(manifest) };
}

/** The codec may write into a shared slab: a copy can be handed over without it. */
function ownMessage(message: OutgoingMessage): OutgoingMessage {
  const bytes = new Uint8Array(message.value!);
  return { ...message, value: Buffer.from(bytes.buffer) };
}
