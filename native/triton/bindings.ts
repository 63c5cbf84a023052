/** The functions of build/native/triton.node, one to one. Internal: use TritonServer. */
import type { ParameterRow } from '#lib/engine-client/request-parameters';
import { addonLoader } from '../load-addon';
import type { GpuMemory, VisibleGpus } from './gpus';
import { TritonError } from './triton-error';

/** An opaque, type-tagged value; a wrong one is refused with WRONG_HANDLE. */
export type ServerHandle = { readonly serverHandle: unique symbol };

export interface NativeSettings {
  readonly coreLibrary: string;
  readonly serverId: string;
  readonly modelRepository: string;
  readonly backendDirectory: string;
  readonly repoAgentDirectory: string;
  readonly cacheDirectory: string;
  readonly minComputeCapability: number;
  readonly exitTimeoutSeconds: number;
  readonly loadThreads: number;
  readonly pythonRegionPrefix: string;
  /** Infinity: no bound. Absent: none at all. */
  readonly admission?: NativeAdmissionLimits;
}

/** AdmissionLimits of src/admission.hpp. */
export interface NativeAdmissionLimits {
  readonly inCore: number;
  readonly running: number;
  readonly queued: number;
  readonly queuedBytes: number;
}

/** AdmissionCounts of src/admission.hpp, since the start. */
export interface AdmissionCounts {
  readonly queuedNow: number;
  readonly startedAtOnce: number;
  readonly queued: number;
  readonly startedLater: number;
  readonly refusedFull: number;
  readonly refusedHopeless: number;
  readonly displaced: number;
  readonly late: number;
  readonly expiredQueued: number;
  readonly expiredRunning: number;
  readonly cancelledQueued: number;
  readonly cancelledRunning: number;
  /** Of those that started later. */
  readonly waitSeconds: number;
  /** By `waitBucketsMs`, and one for longer waits. */
  readonly waitBuckets: readonly number[];
}

/** Upper ends; kWaitBucketsMs of src/admission.hpp. */
export const waitBucketsMs = [1, 2, 5, 10, 50, 100, 500, 1_000, 10_000] as const;

/** By priority: above the default, the default, below. */
export const priorityClasses = ['high', 'default', 'low'] as const;
export type PriorityClass = (typeof priorityClasses)[number];

export type AdmissionStatistics = Readonly<Record<PriorityClass, AdmissionCounts>> & {
  readonly queued: number;
  readonly queuedBytes: number;
  readonly inCore: number;
};

/** ModelWork of src/admission.hpp. */
export interface ModelWork {
  readonly model: string;
  readonly version: number;
  /** Another one after a load or an unload of the model. */
  readonly line: number;
  readonly waiting: number;
  /** In the core, also requests whose caller is gone. */
  readonly running: number;
  /** The number of the one that the core has had for longest; 0: none. */
  readonly oldest: number;
  /** Ended by the model, well or not; of those, well. */
  readonly workedOff: number;
  readonly answered: number;
  /** Of inputs that the core has had since the model last made progress. */
  readonly kib: number;
  /** What a KiB cost, near the upper end of what was seen. */
  readonly msPerKib: number;
  /** To the latest deadline of those; absent where one has none. */
  readonly leftMs?: number;
}

export interface NativeInput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** Lies in the arena from `offset`, or, where it didn't fit there, in `copy`. */
export interface NativeOutput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly byteLength: number;
  readonly offset?: number;
  readonly copy?: Buffer;
}

export interface NativeCompletion {
  readonly id: number;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Of one that was refused: to its deadline. */
  readonly remainingMs?: number;
  readonly version?: string;
  readonly outputs?: readonly NativeOutput[];
}

export interface TritonBindings {
  abiVersion(): number;
  /** `onCompletions` gets every request once, after both of its callbacks. It must not throw. */
  startServer(
    settings: NativeSettings,
    onCompletions: (batch: readonly NativeCompletion[]) => void,
  ): Promise<ServerHandle>;
  stopServer(handle: ServerHandle): Promise<void>;
  isLive(handle: ServerHandle): boolean;
  isModelReady(handle: ServerHandle, model: string, version: number): boolean;
  loadModel(handle: ServerHandle, model: string): Promise<void>;
  unloadModel(handle: ServerHandle, model: string): Promise<void>;
  repositoryIndex(handle: ServerHandle): Promise<string>;
  /** nv_inference_* and the like, in Prometheus' text format. */
  metrics(handle: ServerHandle): Promise<string>;
  /** GpuUse[] as JSON. */
  gpuUse(): Promise<string>;
  serverMetadata(handle: ServerHandle): string;
  modelMetadata(handle: ServerHandle, model: string, version: number): string;
  modelConfig(handle: ServerHandle, model: string, version: number): string;
  modelStatistics(handle: ServerHandle, model: string, version: number): string;
  /** Reads inputs and writes the arena until the completion of the id that it returns. */
  infer(
    handle: ServerHandle,
    model: string,
    version: number,
    requestId: string,
    inputs: readonly NativeInput[],
    outputs: readonly string[],
    arena: Uint8Array,
    parameters?: ParameterRow,
    /** Unix milliseconds. Until then the request may wait; who cancels it when it has passed is the caller. */
    deadlineMs?: number,
  ): number;
  /** `late`: since its deadline passed. */
  cancel(handle: ServerHandle, id: number, late?: boolean): boolean;
  inFlight(handle: ServerHandle): number;
  /** Requests whose buffers the core has, also those of the data plane. */
  openRequests(handle: ServerHandle): number;
  /** A backend has said so (DEVICE_FAULT), of any server of the process. */
  deviceIsBroken(): boolean;
  /** What it said; empty while all is well. */
  deviceFault(): string;
  gpus(): VisibleGpus;
  watchGpus(everyMs: number): void;
  /** What the backends of that folder hold on each GPU; none before they hold something. */
  gpuMemory(backendDirectory: string): GpuMemory[];
  /**
   * Listens on a Unix socket for sessions of native/shm; their requests pass through no JavaScript. `pins`: their memory
   * is locked for the GPUs that this process may see.
   */
  openDataPlane(handle: ServerHandle, socketPath: string, pins: boolean): void;
  dataPlaneCounts(handle: ServerHandle): DataPlaneCounts | undefined;
  admissionStatistics(handle: ServerHandle): AdmissionStatistics;
  modelWork(handle: ServerHandle): ModelWork[];
  /** Models of the Python backend whose process has ended since the last call, and what a request said of it. */
  takeBrokenModels(handle: ServerHandle): (readonly [model: string, message: string])[];
}

export interface DataPlaneCounts {
  readonly sessions: number;
  readonly requests: number;
  /** Refused before the core saw them: busy, late or stale. */
  readonly refused: number;
  /** Sessions whose peer broke the protocol, and peers that never got one. */
  readonly brokenSessions: number;
  /** Sessions whose memory was locked for the GPUs, and those for which that failed. */
  readonly pinnedSessions: number;
  readonly unpinnedSessions: number;
  readonly inCore: number;
}

export const loadBindings = addonLoader<TritonBindings>('triton', {
  abiVersion: 7,
  fault: (message, cause) => new TritonError('LOAD_FAILED', message, { cause }),
});
