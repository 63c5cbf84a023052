import type { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { EngineService } from '#lib/engine-client/engine-service';

/** GpuMemory of schemas/proto/engine.proto. */
interface GpuMemory {
  readonly device: number;
  readonly bytes: number;
  readonly peak: number;
  readonly arena: number;
  readonly arena_peak: number;
  readonly refusals: number;
}

const pauseMs = 2_000;
const timeoutMs = 1_000;

/** Asks the active engine now and then what it holds of its GPUs, and puts it into the worker's metrics. */
export class MemoryWatch {
  private readonly timer: NodeJS.Timeout;
  private engine: EngineService | null = null;
  private readonly refusals = new Map<string, number>();

  constructor(
    private readonly link: EngineLink,
    private readonly events: WorkerEvents,
    everyMs = pauseMs,
  ) {
    this.timer = setInterval(() => this.look(), everyMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.engine?.close();
  }

  /** An engine without a GPU has nothing to say; one that doesn't answer is the sentinel's to notice. */
  private look(): void {
    if (this.link.deviceKind === 'cpu') return;
    const engine = this.connected();
    engine?.ask<{ gpus: readonly GpuMemory[] }>('Memory', timeoutMs).then(
      ({ gpus }) => engine === this.engine && gpus.forEach((gpu) => this.record(gpu)),
      () => undefined,
    );
  }

  /** Another engine has another address, and counts from 0. */
  private connected(): EngineService | null {
    const address = this.link.address();
    if (address === (this.engine?.address ?? null)) return this.engine;
    this.engine?.close();
    this.refusals.clear();
    this.engine = address === null ? null : new EngineService(address);
    return this.engine;
  }

  private record({ device, bytes, peak, arena, arena_peak: arenaPeak, refusals }: GpuMemory): void {
    const { events } = this;
    const gpu = String(device);
    events.GpuMemoryMeasured({ gpu, bytes });
    events.GpuMemoryPeaked({ gpu, bytes: peak });
    events.GpuArenaMeasured({ gpu, bytes: arena });
    events.GpuArenaPeaked({ gpu, bytes: arenaPeak });
    const times = refusals - (this.refusals.get(gpu) ?? 0);
    this.refusals.set(gpu, refusals);
    if (times > 0) events.GpuMemoryRefused({ gpu, times });
  }
}
