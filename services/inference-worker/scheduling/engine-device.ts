import type { SchedulingDevice } from '#policy/scheduling/scheduler';
import type { EngineLink } from '../engine-link';

export interface EngineDeviceSettings {
  /** As in metrics and answers: "cpu", "gpu:0". */
  readonly id: string;
  readonly link: EngineLink;
  /** Of the arena for activations. */
  readonly arenaBytes: number;
  readonly isLastResort?: boolean;
}

/** Of a GPU against one thread of a processor, until something has been seen. */
const gpuSpeed = 20;
/** Candidates, or rows: an H200 costs five requests of 4,096 at a time in little more than the time of one. */
const gpuFullSize = 16_384;
/**
 * Until its models' passes are known: two instances of two models with batches of 8, one batch under way and one behind it.
 * On one H200 a pass of 8 shards takes 1.6 times one of a single shard, so every place that is empty when an instance frees
 * is work lost.
 */
const gpuLeastInFlight = 64;
/** Of each thread: one under way and one behind it, so that no thread waits for the worker's turn. */
const leastOfThread = 2;

/** A device with the engine that it has now. */
export class EngineDevice {
  /** Requests of a model that run at a time, each on a thread of its own. Filled as the engine tells (`side-by-side.ts`). */
  readonly sideBySide = new Map<string, number>();
  /** Requests of a model that its instances take together. Filled in the same way. */
  readonly inPasses = new Map<string, number>();

  private inFlight = 0;

  constructor(private readonly settings: EngineDeviceSettings) {}

  /** Whether a request that goes to it now finds a place at once. */
  enter(model: string): boolean {
    this.inFlight += 1;
    return this.inFlight <= (this.sideBySide.get(model) ?? 1);
  }

  leave(): void {
    this.inFlight -= 1;
  }

  get id(): string {
    return this.settings.id;
  }
  get link(): EngineLink {
    return this.settings.link;
  }
  /** Its engine's name: a successor has another one. */
  get engine(): string {
    return `${this.id}#${this.link.incarnation}`;
  }

  /** As its engine is now. */
  spec(): SchedulingDevice {
    const { id, link, arenaBytes, isLastResort = false } = this.settings;
    const isCpu = link.deviceKind === 'cpu';
    const { sideBySide, inPasses } = this;
    return {
      id,
      engine: this.engine,
      speed: isCpu ? 1 : gpuSpeed,
      arenaBytes,
      fullSize: isCpu ? 1 : gpuFullSize,
      sideBySide,
      get leastInFlight() {
        if (isCpu) return leastOfThread * Math.max(1, ...sideBySide.values());
        return inPasses.size > 0 ? 0 : gpuLeastInFlight;
      },
      inPasses,
      isUntold: true,
      isLastResort,
    };
  }
}
