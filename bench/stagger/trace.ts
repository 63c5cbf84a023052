import { burstArrivals } from '#policy/scheduling/simulation/arrivals';
import { nearest, type Template } from './templates';

/** A shard of the trace, `atMs` after its begin. */
export interface TracedShard {
  readonly id: string;
  readonly atMs: number;
  readonly deadlineMs: number;
  readonly model: string;
  readonly template: Template;
}

export interface TraceOptions {
  readonly seed: number;
  readonly bursts: number;
  readonly burstEveryMs: number;
  /** From the arrival. */
  readonly deadlineMs: readonly [number, number];
  readonly models: readonly string[];
  /** Of each model. */
  readonly templates: Readonly<Record<string, readonly Template[]>>;
}

const roundsPerBurst = 10;
const mostShards = 12;

/** Bursts of ten rounds of 1 to 12 shards whose sizes differ as those of the templates: the simulator's arrivals. */
export function makeTrace({ templates, ...options }: TraceOptions): readonly TracedShard[] {
  const sizes = Object.values(templates)[0]!.map(({ size }) => size);
  const leastSize = Math.min(...sizes);
  const sizeFactor = Math.max(...sizes) / leastSize;
  const none = { poolBytesPerUnit: 0, arenaBytesPerUnit: 0 };
  const arrivals = burstArrivals({ ...options, ...none, roundsPerBurst, mostShards, leastSize, sizeFactor });
  return arrivals.map(({ id, arrivesMs: atMs, deadlineMs, model, size }) => {
    return { id, atMs, deadlineMs, model, template: nearest(templates[model]!, size) };
  });
}

export function candidatesOf(trace: readonly TracedShard[]): number {
  return trace.reduce((sum, { template }) => sum + template.size, 0);
}
