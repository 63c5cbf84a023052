import type { EngineQueue, Job } from './engine-queue';
import type { SimulatedShard } from './scenario';
import type { SimulatedRouter } from './simulated-router';

export interface Placed {
  readonly shard: SimulatedShard;
  readonly failedOn: Set<string>;
  /** From which it was taken back. */
  readonly slow: Set<string>;
  attempts: number;
  isOver: boolean;
  /** At a remote. */
  open: OpenAttempt | null;
  /** Here. */
  job: Job | null;
}

export interface OpenAttempt {
  readonly placed: Placed;
  readonly router: SimulatedRouter;
  readonly attempt: unknown;
  readonly engine: EngineQueue;
  readonly sentMs: number;
  readonly overdueMs: number;
  job: Job | null;
}

export interface LocalAttempt {
  readonly placed: Placed;
  readonly attempt: unknown;
}
