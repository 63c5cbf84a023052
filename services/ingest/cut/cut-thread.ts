import { parentPort, workerData } from 'node:worker_threads';
import { TravelMatrices } from '#lib/travel-matrices';
import type { OutgoingMessage } from '#lib/bus/port';
import { RoundhouseError } from '#schemas/errors';
import { cutMessages, type CutJob, type CutResult } from './cut-messages';

/** Errors of ours go over as their fields: a clone of one is a plain Error. */
export type CutAnswer =
  { readonly result: CutResult } | { readonly refused: Pick<RoundhouseError, 'code' | 'message' | 'faults'> };

/** The codec may write into a shared slab: a copy can be handed over without it. */
function ownBytes(message: OutgoingMessage): OutgoingMessage {
  const bytes = new Uint8Array(message.value!);
  return { ...message, value: Buffer.from(bytes.buffer) };
}

function answerTo(job: CutJob, matrices: TravelMatrices): CutAnswer {
  try {
    const { shards, manifest, ...rest } = cutMessages(job, matrices);
    return { result: { ...rest, shards: shards.map(ownBytes), manifest: ownBytes(manifest) } };
  } catch (error) {
    if (!(error instanceof RoundhouseError)) throw error;
    const { code, message, faults } = error;
    return { refused: { code, message, faults } };
  }
}

function transferred(answer: CutAnswer): ArrayBuffer[] {
  if (!('result' in answer)) return [];
  const { manifest, shards } = answer.result;
  return [manifest, ...shards].map(({ value }) => value!.buffer as ArrayBuffer);
}

if (parentPort) {
  const port = parentPort;
  const matrices = new TravelMatrices((workerData as { modelsDir: string }).modelsDir);
  port.on('message', (job: CutJob) => {
    const answer = answerTo(job, matrices);
    port.postMessage(answer, transferred(answer));
  });
}
