import { admissionOf, type AdmissionLimits } from './admission';
import type { NativeSettings } from './bindings';

export interface TritonServerOptions {
  /** libtritonserver.so; a process can use one. */
  readonly coreLibrary: string;
  readonly modelRepository: string;
  readonly backendDirectory: string;
  readonly serverId?: string;
  readonly repoAgentDirectory?: string;
  readonly cacheDirectory?: string;
  readonly minComputeCapability?: number;
  /** A stop that takes longer gives up. */
  readonly exitTimeoutSeconds?: number;
  readonly loadThreads?: number;
  /** Of the shared memory that the Python backend makes for each instance of a model. */
  readonly pythonRegionPrefix?: string;
  /** Idle output buffers that are kept. */
  readonly keepOutputBytes?: number;
  /** Absent: any number may wait. */
  readonly admission?: AdmissionLimits;
}

/** What the addon starts a server with. */
export function settingsOf(options: TritonServerOptions): NativeSettings {
  return {
    coreLibrary: options.coreLibrary,
    serverId: options.serverId ?? 'roundhouse',
    modelRepository: options.modelRepository,
    backendDirectory: options.backendDirectory,
    repoAgentDirectory: options.repoAgentDirectory ?? options.backendDirectory,
    cacheDirectory: options.cacheDirectory ?? options.backendDirectory,
    minComputeCapability: options.minComputeCapability ?? 6,
    exitTimeoutSeconds: options.exitTimeoutSeconds ?? 5,
    loadThreads: options.loadThreads ?? 1,
    pythonRegionPrefix: options.pythonRegionPrefix ?? '',
    ...admissionOf(options.admission),
  };
}
