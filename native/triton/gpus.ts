import { loadBindings } from './bindings';

export interface VisibleGpu {
  readonly name: string;
  /** 0000:17:00.0 */
  readonly busId: string;
  /** 9.0 */
  readonly computeCapability: string;
  readonly memoryBytes: number;
}

export interface VisibleGpus {
  readonly gpus: readonly VisibleGpu[];
  /** Why there are none although there is a driver; empty otherwise. */
  readonly failure: string;
}

/** Device memory that the backends of this process hold on one GPU, in bytes. */
export interface GpuMemory {
  readonly device: number;
  readonly bytes: number;
  readonly peak: number;
  /** What they may have; 0: as much as there is. */
  readonly limit: number;
  /** Of `bytes`: the arena that networks share; and the most of it that was in use. */
  readonly arena: number;
  readonly arenaPeak: number;
  /** Times that memory was refused for the limit. */
  readonly refusals: number;
}

/** As NVIDIA's management library has it: of the whole GPU, whoever uses it. */
export interface GpuUse {
  readonly device: number;
  /** Share of the last sample in which a kernel ran; -1: not known. */
  readonly utilization: number;
  readonly usedBytes: number;
  readonly sizeBytes: number;
}

/** Empty where that library is absent. */
export async function gpuUse(): Promise<readonly GpuUse[]> {
  return JSON.parse(await loadBindings().gpuUse()) as GpuUse[];
}

/** None where the backends of the folder were built without CUDA, or hold nothing. */
export function gpuMemory(backendDirectory: string): readonly GpuMemory[] {
  return loadBindings().gpuMemory(backendDirectory);
}

/** In the driver's order. The first call starts the driver, which reads CUDA_VISIBLE_DEVICES then and never again. */
export function visibleGpus(): VisibleGpus {
  return loadBindings().gpus();
}

/** From now to the end of the process: a GPU that is broken or lost is noted as when a backend says DEVICE_FAULT. */
export function watchGpus(everyMs: number): void {
  loadBindings().watchGpus(everyMs);
}
