import type { EngineQueue } from './engine-queue';
import type { SimulatedShard } from './scenario';
import type { SimulatedRouter } from './simulated-router';

export interface SimulatedOutcome {
  readonly shard: SimulatedShard;
  readonly solved: boolean;
  readonly endMs: number;
  readonly attempts: number;
  /** The engine that solved it; null for the worker's own. */
  readonly remote: string | null;
}

export interface SimulationResult {
  readonly outcomes: readonly SimulatedOutcome[];
  readonly routers: readonly SimulatedRouter[];
  readonly engines: readonly EngineQueue[];
  readonly decisions: number;
  /** Of each fault and worker: when it could first be seen, since something was there or was sent there. */
  readonly firstSeenMs: ReadonlyMap<string, number>;
}
