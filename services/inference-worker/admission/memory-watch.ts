import type { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { EngineWatch, usualPauseMs } from './engine-watch';

/** GpuMemory of schemas/proto/engine.proto. */
interface GpuMemory {
  readonly device: number;
  readonly bytes: number;
  readonly peak: number;
  readonly arena: number;
  readonly arena_peak: number;
  readonly refusals: number;
}

interface MemoryReport {
  readonly gpus: readonly GpuMemory[];
  readonly uses?: readonly {
    readonly device: number;
    readonly utilization: number;
    readonly used_bytes: number;
    readonly size_bytes: number;
  }[];
}

/** What the active engine holds of its GPUs, as the worker's metrics. */
export class MemoryWatch extends EngineWatch<MemoryReport> {
  private readonly refusals = new Map<string, number>();

  constructor(
    link: EngineLink,
    private readonly events: WorkerEvents,
    pauseMs = usualPauseMs,
  ) {
    super(link, 'Memory', pauseMs);
  }

  protected override concerns(deviceKind: string): boolean {
    return deviceKind !== 'cpu';
  }

  protected forget(): void {
    this.refusals.clear();
  }

  protected record({ gpus, uses = [] }: MemoryReport): void {
    for (const gpu of gpus) this.recordOne(gpu);
    for (const { device, utilization, used_bytes: usedBytes, size_bytes: sizeBytes } of uses)
      this.events.GpuUsed({ gpu: String(device), utilization, usedBytes, sizeBytes });
  }

  private recordOne({ device, bytes, peak, arena, arena_peak: arenaPeak, refusals }: GpuMemory): void {
    const { events } = this;
    const gpu = String(device);
    events.GpuMemoryMeasured({ gpu, bytes });
    events.GpuMemoryPeaked({ gpu, bytes: peak });
    events.GpuArenaMeasured({ gpu, bytes: arena });
    events.GpuArenaPeaked({ gpu, bytes: arenaPeak });
    const before = this.refusals.get(gpu);
    const times = refusals - (before ?? 0);
    this.refusals.set(gpu, refusals);
    // Also none at the first look, so that a rate sees the first refusal.
    if (times > 0 || before === undefined) events.GpuMemoryRefused({ gpu, times });
  }
}
