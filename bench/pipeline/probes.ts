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
