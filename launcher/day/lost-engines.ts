import { loopback } from '../ports';

interface Worker {
  readonly ports: { readonly http?: number };
}

const answerMs = 3_000;
const losses = /^dispatch_engine_losses_total(?:\{.*\})? (\d+)$/m;

/** Engines that the workers have lost so far; a worker that does not answer tells of none. */
export async function lostEngines(workers: readonly Worker[]): Promise<number> {
  const counts = await Promise.all(workers.map(lossesOf));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function lossesOf({ ports: { http } }: Worker): Promise<number> {
  if (http === undefined) return 0;
  try {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(`http://${loopback}:${http}/metrics`, { signal });
    return Number(losses.exec(await response.text())?.[1] ?? 0);
  } catch {
    return 0;
  }
}
