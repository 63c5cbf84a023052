import { join } from 'node:path';
import type { OutgoingMessage } from '#lib/bus/port';
import { JobThread } from '#lib/job-thread';
import type { TravelMatrices } from '#lib/travel-matrices';
import { RoundhouseError } from '#schemas/errors';
import { cutMessages, type CutJob, type CutResult } from './cut-messages';
import type { CutAnswer } from './cut-thread';
import { isLarge } from './is-large';

/** A Buffer comes out of another thread as a Uint8Array. */
function received(message: OutgoingMessage): OutgoingMessage {
  const { buffer, byteOffset, byteLength } = message.value!;
  return { ...message, value: Buffer.from(buffer, byteOffset, byteLength) };
}

/**
 * Cuts small rounds at once and large ones in a thread of their own, one after the other, so that neither
 * small rounds nor timers wait for them. A thread that ends is made anew for the next round.
 */
export class RoundCutter {
  private readonly thread: JobThread<CutJob, CutAnswer>;
  private last: Promise<unknown> = Promise.resolve();
  private stopped = false;

  constructor(
    modelsDir: string,
    private readonly matrices: TravelMatrices,
  ) {
    this.thread = new JobThread(join(__dirname, 'cut-thread.js'), { modelsDir }, 'cuts large rounds');
  }

  /** `stillWanted` throws where the round's turn comes too late. */
  async cut(job: CutJob, stillWanted: () => void): Promise<CutResult> {
    if (!isLarge(job.round)) return cutMessages(job, this.matrices);
    const turn = this.last.then(() => {
      stillWanted();
      return this.cutAside(job);
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.thread.stop();
  }

  private async cutAside(job: CutJob): Promise<CutResult> {
    if (this.stopped) throw new RoundhouseError('SHUTTING_DOWN', 'ingest is stopping');
    return resultOf(await this.thread.ask(job));
  }
}

function resultOf(answer: CutAnswer): CutResult {
  if ('refused' in answer) {
    const { code, message, faults } = answer.refused;
    throw new RoundhouseError(code, message, faults);
  }
  const { shards, manifest, ...rest } = answer.result;
  return { ...rest, shards: shards.map(received), manifest: received(manifest) };
}
