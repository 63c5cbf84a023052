import type { CourierId, OrderId, Seconds } from '#schemas/brands';
import type { Order } from '#schemas/domain';
import type { CourierLog } from './courier-run';
import type { BundleRecord, DayCourier, DayEvent, Delivery, Leg } from './day';

/** What couriers did. An entry may lie a little ahead of now: a stop is written down when it is begun. */
export class DayLog implements CourierLog {
  readonly legs: Leg[] = [];
  readonly bundles: BundleRecord[] = [];
  readonly deliveries: Delivery[] = [];
  private readonly pickups = new Map<OrderId, Seconds>();
  private readonly dropoffs = new Map<OrderId, Seconds>();
  private ahead: DayEvent[] = [];

  leg(leg: Leg): void {
    this.legs.push(leg);
  }

  bundle(bundle: BundleRecord): void {
    this.bundles.push(bundle);
  }

  /** The last one of the courier with this order never was. */
  bundleGivenBack(courierId: CourierId, orderId: OrderId): void {
    const at = this.bundles.findLastIndex(
      (bundle) => bundle.courierId === courierId && bundle.orderIds.includes(orderId),
    );
    this.bundles.splice(at, 1);
  }

  pickedUp({ orderId }: Order, { courierId }: DayCourier, at: Seconds): void {
    this.pickups.set(orderId, at);
    this.ahead.push({ kind: 'picked_up', orderId, courierId, at });
  }

  droppedOff({ orderId }: Order, { courierId }: DayCourier, at: Seconds): void {
    const pickedUpAt = this.pickups.get(orderId) ?? at;
    this.dropoffs.set(orderId, at);
    this.deliveries.push({ orderId, courierId, pickedUpAt, droppedOffAt: at });
    this.ahead.push({ kind: 'dropped_off', orderId, courierId, at });
  }

  /** Pickups and drop-offs up to `now` that were not taken before, in the order of their times. */
  takeEvents(now: number): DayEvent[] {
    const happened = this.ahead.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.ahead = this.ahead.filter(({ at }) => at > now);
    return happened;
  }

  isPickedUp(orderId: OrderId, now: Seconds): boolean {
    return (this.pickups.get(orderId) ?? Infinity) <= now;
  }

  isDroppedOff(orderId: OrderId, now: Seconds): boolean {
    return (this.dropoffs.get(orderId) ?? Infinity) <= now;
  }
}
