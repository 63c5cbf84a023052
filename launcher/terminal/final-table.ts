import type { DayRules } from '#policy/simulation/day-metrics';
import { shardFaultsText } from '../day/day-failure';
import type { DayOutcome } from '../day/run-day';

const minutes = (value: number) => `${value.toFixed(2)} min`;
const whole = (value: number) => `${Math.round(value)} ms`;

interface Day {
  readonly outcome: Pick<DayOutcome, 'metrics' | 'totals'>;
  readonly rules: DayRules;
  readonly wallSeconds: number;
  readonly enginesLost: number;
}

/** What the day came to, one figure a line; what went wrong has a line only where something did. */
export function finalTable({ outcome, rules, wallSeconds, enginesLost }: Day): string {
  const { metrics, totals } = outcome;
  const rows: [string, string][] = [
    [
      'orders delivered',
      `${metrics.delivered} of ${metrics.orders} (${metrics.undeliveredPct.toFixed(2)}% left)`,
    ],
    ['late', `${(100 * metrics.lateShare).toFixed(1)}%, ${minutes(metrics.lateness)} on average`],
    ['click to door', `${minutes(metrics.clickToDoor)}, p90 ${minutes(metrics.clickToDoorP90)}`],
    [
      '  above the floor',
      `${minutes(metrics.clickToDoorMinusFloor)} (the floor: a courier waits for the meal and rides straight)`,
    ],
    [
      '  penalised',
      `${minutes(metrics.penalisedClickToDoor)} (an order left counts ${rules.maximumClickToDoor} min)`,
    ],
    ['ready to pickup', `${minutes(metrics.readyToPickup)}, p90 ${minutes(metrics.readyToPickupP90)}`],
    [
      'cost per order',
      `${metrics.costPerOrder.toFixed(2)} of couriers' pay (${rules.payPerOrder} an order, at least ${rules.guaranteedPayPerHour} an hour)`,
    ],
    ['decision latency', `p50 ${whole(totals.decisionMsP50)}, p99 ${whole(totals.decisionMsP99)}`],
    ['rounds', `${totals.rounds}: ${totals.complete} closed complete, ${totals.byDeadline} by deadline`],
    ['late decisions', `${totals.late}, and ${totals.afterOutage} after an outage`],
    ...(enginesLost > 0 ? [['engines lost', String(enginesLost)] as [string, string]] : []),
    ...(Object.keys(totals.shardFaults).length > 0
      ? [['shards not solved', shardFaultsText(totals.shardFaults)] as [string, string]]
      : []),
    ['wall time', `${wallSeconds.toFixed(1)} s`],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(20)}${value}`).join('\n');
}
