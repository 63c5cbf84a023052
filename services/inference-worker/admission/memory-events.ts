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

export interface GpuUsed {
  readonly engine?: string;
  readonly gpu: string;
  /** Share of the last sample in which a kernel ran; below 0: not known. */
  readonly utilization: number;
  readonly usedBytes: number;
  readonly sizeBytes: number;
}

/** As engines say what their backends hold of their GPUs (docs/engine.md). */
export const memoryEvents = {
  /** Of the whole GPU, by NVIDIA's management library. */
  GpuUsed: event<GpuUsed>({
    level: 'trace',
    labels: { engine: 16, gpu: 16 },
    gauge: [
      {
        name: 'dispatch_gpu_utilization_ratio',
        help: 'Share of the last sample in which a kernel ran; NaN where it is not known.',
        value: ({ utilization }) => (utilization < 0 ? NaN : utilization),
      },
      {
        name: 'dispatch_gpu_device_used_bytes',
        help: 'Memory of the whole GPU that is in use, by whomever.',
        value: ({ usedBytes }) => usedBytes,
      },
      {
        name: 'dispatch_gpu_device_size_bytes',
        help: 'Memory of the whole GPU.',
        value: ({ sizeBytes }) => sizeBytes,
      },
    ],
  }),
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
