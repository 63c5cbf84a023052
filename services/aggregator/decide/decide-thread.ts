import { parentPort, workerData } from 'node:worker_threads';
import { TravelMatrices } from '#lib/travel-matrices';
import { warmUpSteps } from '#policy/assignment/warm-up';
import { roundsCodec } from '#schemas/codec';
import { decideAndEncode, type DecideJob } from './decide-job';
import { summaryOf, type DecisionSummary } from './decision-summary';

export interface ThreadJob extends Omit<DecideJob, 'manifest'> {
  readonly manifestBytes: Uint8Array;
}

export interface ThreadAnswer {
  readonly bytes: Uint8Array;
  readonly summary: DecisionSummary;
  readonly thrown: readonly string[];
}

if (parentPort) {
  const port = parentPort;
  const matrices = new TravelMatrices((workerData as { modelsDir: string }).modelsDir);
  for (const solution of warmUpSteps()) void solution;
  port.on('message', ({ manifestBytes, ...rest }: ThreadJob) => {
    const thrown: string[] = [];
    const manifest = roundsCodec.decode(Buffer.from(manifestBytes));
    const { content, bytes } = decideAndEncode({ ...rest, manifest }, matrices, (error) =>
      thrown.push(String(error)),
    );
    port.postMessage({ bytes, summary: summaryOf(content), thrown } satisfies ThreadAnswer);
  });
}
