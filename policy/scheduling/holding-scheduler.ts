import type { CostModel } from './cost-model';
import { HeldShards } from './held-shards';
import type { Phase } from './phases';
import type {
  Decision,
  Expectation,
  Scheduler,
  SchedulerFigures,
  SchedulingDevice,
  WaitingShard,
} from './scheduler';
import type { SchedulerSettings } from './settings';
import type { HeldShard } from './waiting-shards';

/** Where shards wait, in whatever order a policy takes them. */
export interface WaitingPlace {
  add(held: HeldShard): void;
  remove(held: HeldShard): void;
  /** Until all that waits would be done. */
  drainMs(): number;
}

/** What policies share: everything but which shard is next, and where. */
export abstract class HoldingScheduler<Place extends WaitingPlace> implements Scheduler {
  abstract readonly takesTurns: boolean;
  protected readonly held: HeldShards;

  constructor(
    protected readonly settings: SchedulerSettings,
    protected readonly costs: CostModel,
    protected readonly waiting: Place,
  ) {
    this.held = new HeldShards(settings, costs);
  }

  abstract decide(nowMs: number): Decision;

  deviceUp(device: SchedulingDevice): void {
    this.held.addDevice(device);
  }

  deviceLost(deviceId: string): readonly WaitingShard[] {
    const lost = this.held.removeDevice(deviceId);
    for (const held of lost) this.waiting.add(held);
    return lost.map(({ shard }) => shard);
  }

  arrive(shard: WaitingShard, nowMs: number): void {
    this.waiting.add(this.held.add(shard, nowMs));
  }

  phaseStarted(shardId: string, phase: Phase, nowMs: number): void {
    this.held.phaseStarted(shardId, phase, nowMs);
  }

  phaseEnded(shardId: string, phase: Phase, tookMs: number): void {
    this.held.phaseEnded(shardId, phase, tookMs);
  }

  leave(shardId: string): void {
    const waited = this.held.leave(shardId);
    if (waited !== undefined) this.waiting.remove(waited);
  }

  expect(model: string, size: number, nowMs: number): Expectation | null {
    return this.held.expect(model, size, nowMs, this.waiting.drainMs());
  }

  figures(): SchedulerFigures {
    return this.held.figures();
  }

  protected giveBack(held: HeldShard, kind: 'late' | 'unfit'): Decision {
    this.waiting.remove(held);
    return this.held.giveBack(held, kind);
  }
}
