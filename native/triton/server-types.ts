import type { ParameterRow } from '#lib/engine-client/request-parameters';
import type { TritonTensor } from './tensor';

export interface TritonRequest {
  readonly model: string;
  /** Absent or empty: the model's version policy decides. */
  readonly version?: string;
  readonly requestId?: string;
  readonly inputs: readonly TritonTensor[];
  /** Absent or empty: all outputs. */
  readonly outputs?: readonly string[];
  /** `priority` and `timeout` are admission's, the others the backend's. */
  readonly parameters?: ParameterRow;
}

export interface TritonCall {
  readonly signal?: AbortSignal;
  /** Unix milliseconds. */
  readonly deadlineMs?: number;
}

export interface TritonResult {
  readonly version: string;
  /** Views of a pooled buffer: valid until `release`. */
  readonly outputs: readonly TritonTensor[];
  /** Gives the buffer back; call it once, when nothing reads the outputs any more. */
  release(): void;
}

export interface ModelIndexEntry {
  readonly name: string;
  readonly version?: string;
  readonly state?: string;
  readonly reason?: string;
}
