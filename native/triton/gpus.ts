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

/** In the driver's order. The first call starts the driver, which reads CUDA_VISIBLE_DEVICES then and never again. */
export function visibleGpus(): VisibleGpus {
  return loadBindings().gpus();
}

/** From now to the end of the process: a GPU that is broken or lost is noted as when a backend says DEVICE_FAULT. */
export function watchGpus(everyMs: number): void {
  loadBindings().watchGpus(everyMs);
}
