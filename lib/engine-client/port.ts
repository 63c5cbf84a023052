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
  /** For another worker's scheduler: what its time grows with, candidates or rows (PlacedWork). */
  readonly size?: number;
  /** Where the inputs lie already: a slot of `SlotLender`'s. Of use to the engine whose slot it is, else no harm. */
  readonly lease?: InputLease;
  /** The outputs may stay in the engine's slot until `release` of the response is called. */
  readonly keepOutputs?: boolean;
}

/** A slot of the data plane's, to write inputs into. */
export interface InputLease {
  readonly memory: ArrayBuffer;
  /** Nothing happens where the request has taken it over. */
  release(): void;
}

/** An engine client that lends slots. */
export interface SlotLender {
  /** undefined where none is free or large enough, or there is no data plane now. */
  lease(bytes: number): InputLease | undefined;
}

export interface InferResponse {
  readonly model: string;
  readonly version: string;
  readonly outputs: readonly NamedTensor[];
  /** Of a request with `keepOutputs`: the outputs are not read any more. */
  readonly release?: () => void;
  /** What another worker says beside its answer: the device that it used, and how busy it is. */
  readonly notes?: AnswerNotes;
}

export interface AnswerNotes {
  readonly deviceKind: string;
  /** A LoadReport as JSON has it, unchecked. */
  readonly load: unknown;
  /** Milliseconds from its coming there to its answer. */
  readonly thereMs?: number;
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
