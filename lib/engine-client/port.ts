import type { NamedTensor } from '#schemas/domain';
import type { UnixMs } from '#schemas/brands';
import type { RequestParameters } from './request-parameters';

/** An engine as the supervisor sees it: KServe v2 over gRPC, local socket or TCP. */
export interface InferRequest {
  readonly model: string;
  /** Empty: the version policy of the model decides. */
  readonly version: string;
  readonly requestId: string;
  readonly inputs: readonly NamedTensor[];
  /**
   * For the backend, but for two of the engine's: `priority` (0: the default, 1: the highest, larger: lower) and
   * `timeout` (microseconds). Whole numbers go as int64, others as double.
   */
  readonly parameters?: RequestParameters;
  /**
   * Called when the engine has nothing of the request any more, as far as the client can know: at its answer, or
   * some time after it was given up. Not for a request that is lost with its engine.
   */
  readonly onLetGo?: () => void;
}

export interface InferResponse {
  readonly model: string;
  readonly version: string;
  readonly outputs: readonly NamedTensor[];
}

export interface ModelState {
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly reason: string;
}

export interface EngineClient {
  /**
   * Rejects with RoundhouseError: DEADLINE_EXCEEDED, DEVICE_FAULT, ENGINE_BUSY, ENGINE_LOST, MODEL_FAILED,
   * MODEL_UNAVAILABLE, PAYLOAD_INVALID. A result that arrives after `deadline` is DEADLINE_EXCEEDED. `remainingMs` of
   * an ENGINE_BUSY: the milliseconds to the deadline that were left when it was refused.
   */
  infer(request: InferRequest, deadline: UnixMs, signal?: AbortSignal): Promise<InferResponse>;
  isLive(): Promise<boolean>;
  isReady(): Promise<boolean>;
  isModelReady(model: string, version?: string): Promise<boolean>;
  repositoryIndex(): Promise<readonly ModelState[]>;
  loadModel(model: string): Promise<void>;
  unloadModel(model: string): Promise<void>;
  close(): Promise<void>;
}
