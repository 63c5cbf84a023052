import type { Pipeline } from '#launcher/pipeline';

/** Milliseconds that ten million additions take: the machine's speed at this moment. */
export function spinMs(): number {
  const startedAt = performance.now();
  let sum = 0;
  for (let i = 0; i < 10_000_000; i++) sum = (sum + i) | 0;
  return performance.now() - startedAt + (sum & 0);
}

/** Process ids by name: broker, redis, the services and the first worker's engine. */
export function pidsOf(pipeline: Pipeline): Map<string, number> {
  const pids = pipeline.processes().flatMap(({ name, pid }) => (pid === null ? [] : [[name, pid] as const]));
  return new Map([...pids, ...pipeline.enginePids().map((pid) => ['engine', pid] as const)]);
}

export interface LoopLag {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long the event loops of ingest and aggregator were held up since this was asked last. */
export async function loopLags(pipeline: Pipeline): Promise<Record<string, LoopLag>> {
  const services = pipeline.processes().filter(({ name }) => name === 'ingest' || name === 'aggregator');
  const lags = services.map(async ({ name, ports }) => {
    const response = await fetch(`http://127.0.0.1:${ports.http}/metrics`);
    return [name, lagOf(await response.text())] as const;
  });
  return Object.fromEntries(await Promise.all(lags));
}

function lagOf(metrics: string): LoopLag {
  const ms = (name: string): number => {
    const match = new RegExp(`^nodejs_eventloop_lag_${name}_seconds(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(
      metrics,
    );
    return Number(match?.[1]) * 1_000;
  };
  return { p99Ms: ms('p99'), maxMs: ms('max') };
}
