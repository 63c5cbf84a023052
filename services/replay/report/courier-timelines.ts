import type { DecisionContent, DispatchRound, PlannedStop } from '#schemas/domain';

export type SpanKind = 'ride' | 'pickup' | 'dropoff';

/** What a courier does from one time to another, seconds of the domain's clock. */
export interface CourierSpan {
  readonly kind: SpanKind;
  readonly from: number;
  readonly to: number;
  readonly orderIds: readonly string[];
}

export interface CourierTimeline {
  readonly courierId: string;
  readonly spans: readonly CourierSpan[];
}

/** Rides between the stops, and the stops with their waiting. */
function spansOf(stops: readonly PlannedStop[], startsAt: number): CourierSpan[] {
  let at = startsAt;
  return stops.flatMap(({ kind, orderIds, arriveAt, departAt }) => {
    const ride =
      arriveAt > at ? [{ kind: 'ride' as const, from: at, to: arriveAt as number, orderIds: [] }] : [];
    at = departAt;
    return [...ride, { kind, from: arriveAt as number, to: departAt as number, orderIds }];
  });
}

/**
 * Plans as couriers would carry them out: each final plan replaces what the one before has from the moment on at
 * which the courier is free for it. What lies behind the window isn't kept.
 */
export class CourierTimelines {
  private readonly spans = new Map<string, CourierSpan[]>();
  private first: number | null = null;

  constructor(private readonly windowSeconds: number) {}

  add(round: DispatchRound, content: DecisionContent): void {
    this.first ??= round.asOf;
    const free = new Map(round.couriers.map(({ courierId, availableAt }) => [courierId, availableAt]));
    for (const { courierId, stops, stage } of content.assignments) {
      if (stage !== 'final') continue;
      const from = Math.max(free.get(courierId) ?? round.asOf, round.asOf);
      const before = (this.spans.get(courierId) ?? []).filter((span) => span.from < from);
      const until = this.first + this.windowSeconds;
      const planned = spansOf(stops, from).filter((span) => span.from < until);
      if (before.length + planned.length > 0) this.spans.set(courierId, [...before, ...planned]);
    }
  }

  /** The busiest, by their ids. */
  busiest(most: number): CourierTimeline[] {
    return [...this.spans]
      .map(([courierId, spans]) => ({ courierId, spans }))
      .sort((a, b) => b.spans.length - a.spans.length || (a.courierId < b.courierId ? -1 : 1))
      .slice(0, most)
      .sort((a, b) => a.courierId.localeCompare(b.courierId, 'en', { numeric: true }));
  }
}
