import { quantile } from '#policy/simulation/statistics';
import { mixedRandom } from '#policy/scheduling/simulation/mixed-random';
import type { UnixMs } from '#schemas/brands';
import type { PlacedWork } from '#services/inference-worker/placement/placement';
import { schedulerNames, type SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';
import type { StaggerOptions } from './options';
import { makeDelayRepository } from './repository';
import { startWorkerEngines } from './worker-engines';

const payloadBytes = 4_096;
const instances = 16;
const delayMs = 1;
/** Requests of a burst: ten rounds of twelve shards. */
const perBurst = 120;
const patientMs = 10_000;
const payload = Buffer.alloc(payloadBytes, 7);

interface PoolRun {
  readonly requests: number;
  readonly answered: number;
  readonly perSecond: number;
  readonly poolPeakBytes: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
}

function workOf(number: number): PlacedWork {
  const inputs = [{ name: 'IN', datatype: 'UINT8' as const, shape: [payloadBytes], data: payload }];
  const request = {
    model: 'fault_injection',
    version: '',
    requestId: `${number}`,
    inputs,
    parameters: { delay_ms: delayMs },
  };
  return { request, size: payloadBytes, bytesIn: payloadBytes, bytesOut: payloadBytes, failedOn: new Set() };
}

/** When each request is due: bursts at random times, `rate` a second on the average. */
function dueTimes({ rate, seconds, seed }: StaggerOptions): number[] {
  const random = mixedRandom(seed);
  const bursts = Math.round((rate * seconds) / perBurst);
  const starts = Array.from({ length: bursts }, () => 1_000 * seconds * random.unit()).sort((a, b) => a - b);
  return starts.flatMap((start) => Array<number>(perBurst).fill(start));
}

async function poolRun(models: string, scheduler: SchedulerName, options: StaggerOptions): Promise<PoolRun> {
  const env = {
    ROUNDHOUSE_FAULT_INJECTION: '1',
    ROUNDHOUSE_ENGINES: 'cpu',
    ROUNDHOUSE_ENGINE_MAX_QUEUED: '10000',
  };
  const worker = await startWorkerEngines({
    ...env,
    ROUNDHOUSE_MODELS_DIR: models,
    ROUNDHOUSE_SCHEDULER: scheduler,
  });
  try {
    return await playPool(worker.placement, options);
  } finally {
    await worker.stop();
  }
}

async function playPool(
  placement: Awaited<ReturnType<typeof startWorkerEngines>>['placement'],
  options: StaggerOptions,
): Promise<PoolRun> {
  const due = dueTimes(options);
  const latencies: number[] = [];
  const ends: Promise<void>[] = [];
  const began = performance.now();
  const send = async (number: number): Promise<void> => {
    const until = (Date.now() + patientMs) as UnixMs;
    await placement.infer(workOf(number), until).then(
      () => void latencies.push(performance.now() - began - due[number]!),
      () => undefined,
    );
  };
  for (let next = 0; next < due.length;) {
    for (; next < due.length && due[next]! <= performance.now() - began; next += 1) ends.push(send(next));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(ends);
  return {
    requests: due.length,
    answered: latencies.length,
    perSecond: Math.round((1_000 * latencies.length) / (performance.now() - began)),
    poolPeakBytes: placement.figures().poolPeakBytes,
    latencyP50Ms: Number(quantile(latencies, 0.5).toFixed(2)),
    latencyP99Ms: Number(quantile(latencies, 0.99).toFixed(2)),
  };
}

/** The same requests with each policy: what of the pool they take at most. */
export async function pool(folder: string, options: StaggerOptions): Promise<object> {
  const models = makeDelayRepository(folder, instances);
  const results: Partial<Record<SchedulerName, PoolRun>> = {};
  for (const scheduler of schedulerNames.toReversed()) {
    results[scheduler] = await poolRun(models, scheduler, options);
    console.error(`${scheduler}: ${JSON.stringify(results[scheduler])}`);
  }
  const share = results.staggered!.poolPeakBytes / results.fifo!.poolPeakBytes;
  return { payloadBytes, instances, delayMs, perBurst, ...results, peakShare: Number(share.toFixed(3)) };
}
