import type { DayMetrics } from '#policy/simulation/day-metrics';

export interface DayReport {
  readonly day: string;
  readonly f: number;
  readonly mode: 'direct' | 'pipeline';
  readonly prepositioning: boolean;
  readonly lateChanges: boolean;
  readonly metrics: DayMetrics;
  readonly naive: DayMetrics;
  readonly insertion: DayMetrics;
  readonly rounds: number;
  readonly seconds: number;
  readonly decisionMsP50: number;
  readonly decisionMsP99: number;
}

/** One JSON line; minutes with three decimals. */
export function reportLine({
  day,
  f,
  mode,
  prepositioning,
  lateChanges,
  metrics,
  naive,
  insertion,
  ...run
}: DayReport): string {
  return JSON.stringify({
    day,
    f,
    mode,
    prepositioning,
    lateChanges,
    ...figures(metrics),
    naive: figures(naive),
    insertion: figures(insertion),
    ...rounded(run),
  });
}

function figures(metrics: DayMetrics) {
  return rounded({
    orders: metrics.orders,
    undelivered: metrics.undelivered,
    undeliveredPct: metrics.undeliveredPct,
    ctd: metrics.clickToDoor,
    ctdP90: metrics.clickToDoorP90,
    ctdMinusFloor: metrics.clickToDoorMinusFloor,
    penalisedCtd: metrics.penalisedClickToDoor,
    overage: metrics.overage,
    rtd: metrics.readyToDoor,
    rtp: metrics.readyToPickup,
    rtpP90: metrics.readyToPickupP90,
    ordersPerBundle: metrics.ordersPerBundle,
    costPerOrder: metrics.costPerOrder,
  });
}

function rounded<T extends Record<string, number>>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(value * 1000) / 1000]),
  ) as T;
}
