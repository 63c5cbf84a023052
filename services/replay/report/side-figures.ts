import type { DispatchRound } from '#schemas/domain';
import { costOf } from '../diff/compare-rounds';
import type { SideRound } from '../diff/side';
import { CourierTimelines } from './courier-timelines';
import type { KnownRound } from './joined-rounds';
import { Thinned } from './thinned';

/** A round of one side as a point of plots over rounds. */
export interface RoundPoint {
  /** In the order in which rounds came. */
  readonly index: number;
  readonly roundId: string;
  readonly tookMs: number | null;
  readonly lateByMs: number | null;
  readonly assigned: number;
  readonly leftOut: number;
  readonly cost: number;
}

/** Minutes, as planned when the order was finally assigned; `stops` is a count a plan. */
export const measures = {
  placedToDoor: 'from placed to door, min',
  readyToPickup: 'from ready to pickup, min',
  lateness: 'behind the promise, min',
  ordersOfPlan: 'new orders of a plan',
} as const;
export type Measure = keyof typeof measures;

/** Everything about one side that is drawn or counted; holds samples of what is long. */
export class SideFigures {
  readonly points = new Thinned<RoundPoint>(10_000);
  readonly samples: Readonly<Record<Measure, Thinned<number>>> = {
    placedToDoor: new Thinned(),
    readyToPickup: new Thinned(),
    lateness: new Thinned(),
    ordersOfPlan: new Thinned(),
  };
  readonly timelines: CourierTimelines;
  readonly reasons = new Map<string, number>();
  decided = 0;
  undecided = 0;
  late = 0;
  closedByDeadline = 0;
  assigned = 0;
  leftOut = 0;
  cost = 0n;

  constructor(hours: number) {
    this.timelines = new CourierTimelines(hours * 3_600);
  }

  add(index: number, side: SideRound, known: KnownRound | null): void {
    const { content, roundId, tookMs, lateByMs } = side;
    if (content === null) {
      this.undecided += 1;
      return;
    }
    const [cost, leftOut] = [costOf(side), content.unassigned.length];
    const assigned = content.assignments.reduce((sum, { orderIds }) => sum + orderIds.length, 0);
    this.decided += 1;
    this.assigned += assigned;
    this.leftOut += leftOut;
    this.cost += cost;
    if ((lateByMs ?? 0) > 0) this.late += 1;
    if (content.closedBy === 'deadline') this.closedByDeadline += 1;
    for (const { reason } of content.unassigned)
      this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    this.points.add({ index, roundId, tookMs, lateByMs, assigned, leftOut, cost: Number(cost) });
    if (known !== null) this.addOrders(known.round, content);
  }

  private addOrders(round: DispatchRound, content: NonNullable<SideRound['content']>): void {
    this.timelines.add(round, content);
    const orders = new Map(round.orders.map((order) => [order.orderId, order]));
    for (const { orderIds, stops, stage } of content.assignments) {
      if (orderIds.length === 0 || stage !== 'final') continue;
      const fresh = new Set(orderIds);
      this.samples.ordersOfPlan.add(orderIds.length);
      for (const { kind, orderIds: ids, servedAt } of stops) {
        for (const id of ids) {
          const order = fresh.has(id) ? orders.get(id) : undefined;
          if (order === undefined) continue;
          if (kind === 'pickup') this.samples.readyToPickup.add((servedAt - order.readyAt) / 60);
          else {
            this.samples.placedToDoor.add((servedAt - order.placedAt) / 60);
            this.samples.lateness.add(Math.max(0, servedAt - order.promisedAt) / 60);
          }
        }
      }
    }
  }
}
