import { DrainRate } from '#policy/operations/drain-rate';
import { roundsAtRisk, type Stage } from '#policy/operations/rounds-at-risk';
import type { UnixMs } from '#schemas/brands';
import type { RiskCounts } from '../console/signals/sources';
import type { OwnGroups } from '../kafka/group-names';
import type { GroupView, LagView } from '../kafka/lag-book';
import { roundState, type RoundView } from './round-view';

const nothingWaits: Stage = { backlog: 0, perSecond: null };

/** How fast shards and outcomes are taken, and which waiting rounds that is too slow for. */
export class RiskWatch {
  private readonly shards = new DrainRate();
  private readonly outcomes = new DrainRate();
  private lag: LagView = { topics: [], groups: [] };

  constructor(private readonly groups: OwnGroups) {}

  saw(lag: LagView, at: number): void {
    this.lag = lag;
    for (const [rate, group] of [
      [this.shards, this.viewOf('shards')],
      [this.outcomes, this.viewOf('outcomes')],
    ] as const) {
      if (group !== undefined) rate.saw({ at, backlog: group.backlog, taken: group.taken });
    }
  }

  viewOf(name: keyof OwnGroups): GroupView | undefined {
    const { groupId, topic } = this.groups[name];
    return this.lag.groups.find((group) => group.groupId === groupId && group.topic === topic);
  }

  /** `waiting` in the order of their manifests. */
  counts(waiting: readonly RoundView[], at: number): RiskCounts {
    const now = at as UnixMs;
    const [shards, outcomes] = [this.stage('shards'), this.stage('outcomes')];
    const all = roundsAtRisk(waiting, { shards, outcomes }, now).length;
    const byShards = roundsAtRisk(waiting, { shards, outcomes: nothingWaits }, now).length;
    const overdue = waiting.filter((round) => roundState(round, now) === 'overdue').length;
    return { overdue, shards: Math.max(0, byShards - overdue), outcomes: all - byShards };
  }

  private stage(name: 'shards' | 'outcomes'): Stage {
    return { backlog: this.viewOf(name)?.backlog ?? 0, perSecond: this[name].perSecond };
  }
}
