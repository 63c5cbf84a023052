import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { JobThread } from '#lib/job-thread';
import { stepsInBetween } from '#lib/steps-in-between';
import { TravelMatrices } from '#lib/travel-matrices';
import type { DispatchRound } from '#schemas/domain';
import type { RoundhouseError } from '#schemas/errors';
import type { BodyFormat } from '../read/parse-body';
import type { ReadingJob, RoundReading } from '../read/round-reading';
import type { CutJob, CutResult } from './cut-messages';
import type { PartAnswer, PartJob, PartThreadData } from './part-thread';
import { practiceRounds } from './practice-rounds';
import { ReadingThread } from './reading-thread';
import { RoundParts } from './round-parts';
import type { SentLimits } from './sent-limits';

export interface RoundThreadData {
  readonly modelsDir: string;
  /** Reading and cutting are practised until the first job comes. */
  readonly practises: boolean;
  /** Others that share the work on a round. */
  readonly helpers: number;
  /** What the helpers offer up to; a round that is cut with another limit is cut without them. */
  readonly maxCandidates: number;
}

/** What is asked of the thread. `read` keeps the round under its number until it is dropped; `drop` has no answer. */
export type RoundJob =
  | {
      readonly kind: 'read';
      readonly number: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly format: BodyFormat;
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

function transferred(answer: RoundAnswer): ArrayBuffer[] {
  if (!('result' in answer)) return [];
  const { manifest, shards } = answer.result;
  return [manifest, ...shards].map(({ value }) => value!.buffer as ArrayBuffer);
}

function helpersOf({ modelsDir, practises, helpers, maxCandidates }: RoundThreadData): RoundParts {
  const data: PartThreadData = { modelsDir, practises };
  const file = join(__dirname, 'part-thread.js');
  const threads = Array.from(
    { length: helpers },
    () => new JobThread<PartJob, PartAnswer>(file, data, 'shares large rounds'),
  );
  return new RoundParts(threads, maxCandidates);
}

if (parentPort) {
  const port = parentPort;
  const data = workerData as RoundThreadData;
  const matrices = new TravelMatrices(data.modelsDir);
  const parts = helpersOf(data);
  const thread = new ReadingThread(matrices, parts);
  let isNeeded = !data.practises;
  if (data.practises) parts.start();
  void stepsInBetween(practiceRounds(matrices), () => isNeeded);
  const answer = async (job: Exclude<RoundJob, { kind: 'drop' }>): Promise<void> => {
    const given = await thread.answer(job);
    port.postMessage(given, transferred(given));
  };
  port.on('message', (job: RoundJob) => {
    isNeeded = true;
    if (job.kind === 'drop') thread.drop(job.number);
    else void answer(job);
  });
}
