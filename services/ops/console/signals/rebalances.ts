import type { Signal } from '#policy/operations/signals';
import type { CounterStep } from '../../scrape/counter-steps';
import { ofKafka, signal } from './causes';

const name = 'dispatch_group_joins_total';
/** As the rule RoundhouseRebalanceStorm has them. */
const windowMs = 300_000;
const mostJoins = 6;

/** Groups whose members are shared out anew again and again. */
export class Rebalances {
  private joins: {
    readonly at: number;
    readonly process: string;
    readonly group: string;
    readonly by: number;
  }[] = [];

  saw(steps: readonly CounterStep[], at: number): Signal[] {
    this.joins = this.joins.filter((join) => join.at > at - windowMs && join.at <= at);
    for (const { process, labels, by } of steps.filter((step) => step.name === name))
      this.joins.push({ at, process, group: labels['consumergroup'] ?? '?', by });
    const groups = [...new Set(this.joins.map(({ group }) => group))];
    return groups.flatMap((group) => this.of(group));
  }

  /** Of the process that joined most often: each of several has a place in the same generation. */
  private of(group: string): Signal[] {
    const byProcess = new Map<string, number>();
    for (const join of this.joins)
      if (join.group === group) byProcess.set(join.process, (byProcess.get(join.process) ?? 0) + join.by);
    const most = Math.max(...byProcess.values());
    if (most <= mostJoins) return [];
    const words = `its members were shared out anew ${most} times in five minutes`;
    return [signal(`rebalances:${group}`, ['warn', group, words, 'RoundhouseRebalanceStorm'], ofKafka)];
  }
}
