import { chooseStart, type HeadPlans, type StartSettings } from './choose-start';
import type { CostModel } from './cost-model';
import { HoldingScheduler } from './holding-scheduler';
import { planStart, type StartPlan } from './plan-start';
import type { Decision } from './scheduler';
import type { SchedulerSettings } from './settings';
import { WaitingShards, type HeldShard } from './waiting-shards';

/**
 * Starts a shard just before the resources that it needs run out of work, so that few shards at a time keep all of
 * them busy, each another one; on the device that finishes it first; long ones first where deadlines allow. What can't
 * make its deadline is given back. At most `mostPasses` shards that came later start before any one.
 */
export class Staggered extends HoldingScheduler<WaitingShards> {
  readonly takesTurns: boolean = true;

  constructor(settings: SchedulerSettings, costs: CostModel) {
    super(settings, costs, new WaitingShards());
  }

  decide(nowMs: number): Decision {
    const cpuAheadMs = this.held.look(nowMs);
    const heads: HeadPlans[] = [];
    let untilMs = Infinity;
    const isOverdue = this.waiting.passesOfOldest() >= this.settings.mostPasses && !this.isFull();
    for (const head of this.considered(isOverdue)) {
      const { deadlineMs } = head.shard;
      if (deadlineMs <= nowMs) return this.giveBack(head, 'late');
      if (!this.held.fitsEver(head.shard)) return this.giveBack(head, 'unfit');
      untilMs = Math.min(untilMs, deadlineMs);
      const planned = this.plan(head, deadlineMs - nowMs, cpuAheadMs);
      if (planned === 'late') return this.giveBackUnstarted(head);
      if (planned !== null) heads.push(planned);
    }
    if (heads.length === 0) return { kind: 'wait', untilMs };
    const settings = isOverdue ? this.whenOverdue() : this.settings;
    const choice = chooseStart(heads, this.waiting.drainMs(), this.hasRoom, settings);
    if (choice.chosen !== null) return this.start(choice.chosen, nowMs);
    return { kind: 'wait', untilMs: Math.min(untilMs, nowMs + choice.untilMs) };
  }

  /** The oldest waits for places among its model's, which nobody takes from it. */
  private isFull(): boolean {
    const model = this.waiting.oldest()!.shard.model;
    for (const device of this.held.devices.values()) if (!device.isFullOf(model)) return false;
    return true;
  }

  /** Of one that has been passed too often: nothing else starts until it does. */
  private whenOverdue(): StartSettings {
    const { cushionMs, cushionShare, bufferShare, headStart, overdueFactor } = this.settings;
    return {
      cushionMs: cushionMs * overdueFactor,
      cushionShare: cushionShare * overdueFactor,
      bufferShare,
      headStart,
    };
  }

  private readonly hasRoom = ({ held: { shard }, device }: StartPlan): boolean =>
    this.held.pool.hasRoom(shard.poolBytes) && device.arena.hasRoom(shard.arenaBytes);

  /** Only the oldest once it has been passed too often. */
  private considered(isOverdue: boolean): HeldShard[] {
    const oldest = isOverdue ? this.waiting.oldest() : undefined;
    return oldest === undefined ? this.waiting.heads(this.settings.lookAhead) : [oldest];
  }

  /** null while there is no device. */
  private plan(held: HeldShard, leftMs: number, cpuAheadMs: number): HeadPlans | 'late' | null {
    const plans: StartPlan[] = [];
    let earliest: StartPlan | null = null;
    let isKnown = false;
    for (const device of this.held.devices.values()) {
      if (!device.suits(held.shard)) continue;
      const { id } = device.spec;
      const plan = planStart(held, device, this.costs.rates(held.cost, id), cpuAheadMs);
      isKnown ||= this.costs.isKnown(held.cost, id);
      plans.push(plan);
      if (earliest === null || plan.finishMs < earliest.finishMs) earliest = plan;
    }
    if (earliest === null) return null;
    const isLate = earliest.finishMs > leftMs;
    const isProbe = this.waiting.queueOf(held.cost).lateInARow >= this.settings.probeEvery;
    if (isLate && isKnown && !isProbe) return 'late';
    return { plans, earliest, leftMs, isTrial: isLate };
  }

  private start({ held, device }: StartPlan, nowMs: number): Decision {
    this.waiting.remove(held);
    this.waiting.queueOf(held.cost).lateInARow = 0;
    return this.held.start(held, device, nowMs);
  }

  private giveBackUnstarted(held: HeldShard): Decision {
    this.waiting.queueOf(held.cost).lateInARow += 1;
    return this.giveBack(held, 'late');
  }
}
