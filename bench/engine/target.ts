import type { BenchTensor, InputMetadata } from './tensors';

interface Duration {
  readonly count: number;
  readonly ns: number;
}

/** Of one model's statistics, as KServe's extension has them. */
export interface ModelStatistics {
  readonly inference_count: number;
  readonly execution_count: number;
  readonly inference_stats: Readonly<
    Record<'success' | 'fail' | 'queue' | 'compute_input' | 'compute_infer' | 'compute_output', Duration>
  >;
}

/** A model behind one protocol. */
export interface Target {
  inputs(): Promise<readonly InputMetadata[]>;
  statistics(): Promise<readonly ModelStatistics[]>;
  /** Rejects when the answer is an error. */
  prepare(tensors: readonly BenchTensor[]): () => Promise<void>;
  close(): Promise<void>;
}

export const requestTimeoutMs = 60_000;
