import { event } from '#lib/telemetry';

export interface OfGpu {
  readonly engine?: string;
  readonly gpu: string;
  readonly bytes: number;
}

function gpuGauge(name: string, help: string) {
  return event<OfGpu>({
    level: 'trace',
    labels: { engine: 16, gpu: 16 },
    gauge: { name, help, value: ({ bytes }) => bytes },
  });
}

/** As engines say what their backends hold of their GPUs (docs/engine.md). */
export const memoryEvents = {
  GpuMemoryMeasured: gpuGauge('dispatch_gpu_memory_bytes', 'Memory of a GPU that our backends hold.'),
  GpuMemoryPeaked: gpuGauge('dispatch_gpu_memory_peak_bytes', 'The most so far, of this engine.'),
  GpuArenaMeasured: gpuGauge('dispatch_gpu_arena_bytes', 'Of it, the arena for activations.'),
  GpuArenaPeaked: gpuGauge('dispatch_gpu_arena_peak_bytes', 'The most of the arena that was in use.'),
  GpuMemoryRefused: event<{ engine?: string; gpu: string; times: number }>({
    level: 'trace',
    labels: { engine: 16, gpu: 16 },
    counter: {
      name: 'dispatch_gpu_memory_refusals_total',
      help: 'Times that memory was refused for ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES.',
      by: ({ times }) => times,
    },
  }),
};
