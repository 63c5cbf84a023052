import { parentPort, workerData } from 'node:worker_threads';
import { roundIndex, type RoundIndex } from '#policy/join/round-index';
import { stepsInBetween } from '#lib/steps-in-between';
import { TravelMatrices } from '#lib/travel-matrices';
import { warmUpSteps } from '#policy/assignment/warm-up';
import { roundsCodec } from '#schemas/codec';
import type { RoundManifest } from '#schemas/domain';
import { PhaseClock, type Phases } from '#schemas/phases';
import { decideAndEncode, type DecideJob } from './decide-job';
import { summaryOf, type DecisionSummary } from './decision-summary';
import { practiceDecisions } from './practice-decisions';

export interface DecideThreadData {
  readonly modelsDir: string;
  /** Deciding is practised until the first job comes. */
  readonly practises: boolean;
}

interface Numbered {
  /** The round's, in this process. */
  readonly number: number;
  readonly manifestBytes: Uint8Array;
}

/** `prepare` has no answer: the manifest is decoded and indexed before the round is to be decided. */
export type ThreadJob =
  | (Numbered & { readonly kind: 'prepare' })
  | (Numbered & { readonly kind: 'decide' } & Omit<DecideJob, 'manifest' | 'index'>);

export interface ThreadAnswer {
  readonly bytes: Uint8Array;
  readonly summary: DecisionSummary;
  readonly thrown: readonly string[];
  readonly phases: Phases;
}

/** Decoded manifests that wait for their decisions, each some ten times as large as its bytes; older ones are dropped. */
const MOST_PREPARED = 8;

interface Prepared {
  readonly manifest: RoundManifest;
  /** Absent where the round's points can't be used: deciding finds out again, and says so. */
  readonly index?: RoundIndex;
}

class PreparedManifests {
  private readonly byNumber = new Map<number, Prepared>();

  add({ number, manifestBytes }: Numbered): void {
    this.byNumber.set(number, preparedOf(manifestBytes));
    if (this.byNumber.size > MOST_PREPARED) this.byNumber.delete(this.byNumber.keys().next().value!);
  }

  take({ number, manifestBytes }: Numbered): Prepared {
    const known = this.byNumber.get(number) ?? preparedOf(manifestBytes);
    this.byNumber.delete(number);
    return known;
  }
}

function preparedOf({ buffer, byteOffset, byteLength }: Uint8Array): Prepared {
  const manifest = roundsCodec.decode(Buffer.from(buffer, byteOffset, byteLength));
  try {
    return { manifest, index: roundIndex(manifest.round) };
  } catch {
    return { manifest };
  }
}

if (parentPort) {
  const port = parentPort;
  const { modelsDir, practises } = workerData as DecideThreadData;
  const matrices = new TravelMatrices(modelsDir);
  let isNeeded = !practises;
  const manifests = new PreparedManifests();
  for (const solution of warmUpSteps()) void solution;
  void stepsInBetween(practiceDecisions(matrices), () => isNeeded);
  port.on('message', (job: ThreadJob) => {
    isNeeded = true;
    if (job.kind === 'prepare') return manifests.add(job);
    const clock = new PhaseClock();
    const thrown: string[] = [];
    const prepared = manifests.take(job);
    clock.ends('manifest');
    const { content, bytes } = decideAndEncode({ ...job, ...prepared }, matrices, (error) =>
      thrown.push(String(error)),
    );
    clock.ends('decide');
    port.postMessage({
      bytes,
      summary: summaryOf(content),
      thrown,
      phases: clock.phases,
    } satisfies ThreadAnswer);
  });
}
