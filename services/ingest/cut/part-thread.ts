import { parentPort, workerData } from 'node:worker_threads';
import { stepsInBetween } from '#lib/steps-in-between';
import { TravelMatrices } from '#lib/travel-matrices';
import { offerPlan, offersOf, packedTable, type PackedTable } from '#policy/candidates/index';
import { toJsonText } from '#schemas/decision-json';
import { PhaseClock } from '#schemas/phases';
import { practiceRound } from '#policy/simulation/practice';
import { defaultRoundLimits } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { parseBody, type BodyFormat } from '../read/parse-body';
import { contentHashOf, findRound, type ReadingJob } from '../read/round-reading';
import { viewOf } from './cut-messages';
import type { SentLimits } from './sent-limits';

export interface PartThreadData {
  readonly modelsDir: string;
  readonly practises: boolean;
}

/** A body as all threads of a round read it, each for itself. */
export interface SharedBody {
  /** In memory that the threads share. */
  readonly bytes: Uint8Array;
  readonly format: BodyFormat;
  readonly maxElements: number;
  readonly job: Omit<ReadingJob, 'limits'> & { readonly limits: SentLimits };
}

export type PartJob = SharedBody &
  (
    | { readonly kind: 'hash' }
    | { readonly kind: 'offers'; readonly maxCandidates: number; readonly part: number; readonly of: number }
  );

/** Null where the round can't be read: whoever leads finds out why. */
export interface PartAnswer {
  readonly contentHash: string | null;
  readonly offers: PackedTable | null;
}

const nothing: PartAnswer = { contentHash: null, offers: null };

/** A part of the work on a round, from the bytes of its body. */
export function partOfRound(job: PartJob, matrices: TravelMatrices): PartAnswer {
  const body = parseBody(Buffer.from(new Uint8Array(job.bytes).buffer), job.format, job);
  const limits = { ...job.job.limits, matrixOf: (hash: string) => matrices.find(hash) };
  const found = findRound(body, { ...job.job, limits }, new PhaseClock());
  if (found.kind === 'invalid') return nothing;
  if (job.kind === 'hash') return { ...nothing, contentHash: contentHashOf(found) };
  const view = viewOf(found.round, matrices);
  const plan = offerPlan(view, job.maxCandidates);
  return { ...nothing, offers: packedTable(offersOf(view, plan, job.part, job.of)) };
}

const PRACTICE_ROUNDS = 2;
const PRACTICE_STEPS = 8;

/** Parts of rounds that nobody sent, so that the first real ones find compiled code. */
function* practiceParts(matrices: TravelMatrices): Generator<PartAnswer> {
  const bodies = Array.from({ length: PRACTICE_ROUNDS }, (_, seed) =>
    Buffer.from(toJsonText(practiceRound(seed))),
  );
  const shared = {
    format: 'json' as const,
    maxElements: Infinity,
    job: { now: 0 as UnixMs, tenant: undefined, limits: defaultRoundLimits },
  };
  for (let step = 0; step < PRACTICE_STEPS; step++) {
    const bytes = bodies[step % PRACTICE_ROUNDS]!;
    yield partOfRound(
      { ...shared, bytes, kind: 'offers', maxCandidates: 200_000, part: step % 2, of: 2 },
      matrices,
    );
    yield partOfRound({ ...shared, bytes, kind: 'hash' }, matrices);
  }
}

/** A fault of ours is no answer either: whoever leads does the part, and meets it. */
function answerTo(job: PartJob, matrices: TravelMatrices): PartAnswer {
  try {
    return partOfRound(job, matrices);
  } catch {
    return nothing;
  }
}

if (parentPort) {
  const port = parentPort;
  const { modelsDir, practises } = workerData as PartThreadData;
  const matrices = new TravelMatrices(modelsDir);
  let isNeeded = !practises;
  void stepsInBetween(practiceParts(matrices), () => isNeeded);
  port.on('message', (job: PartJob) => {
    isNeeded = true;
    const answer = answerTo(job, matrices);
    const { offers } = answer;
    port.postMessage(
      answer,
      offers === null ? [] : Object.values(offers).map(({ buffer }) => buffer as ArrayBuffer),
    );
  });
}
