import type { OrderId, Seconds } from '#schemas/brands';
import type { Order } from '#schemas/domain';
import type { CourierLog } from './courier-run';
import type { BundleRecord, DayCourier, Delivery, Leg } from './day';

/** What couriers did. An entry may lie a little ahead of now: a stop is written down when it is begun. */
export class DayLog implements CourierLog {
  readonly legs: Leg[] = [];
  readonly bundles: BundleRecord[] = [];
  readonly deliveries: Delivery[] = [];
  private readonly pickups = new Map<OrderId, Seconds>();
  private readonly dropoffs = new Map<OrderId, Seconds>();

  leg(leg: Leg): void {
    this.legs.push(leg);
  }

  bundle(bundle: BundleRecord): void {
    this.bundles.push(bundle);
  }

  pickedUp(order: Order, _courier: DayCourier, at: Seconds): void {
    this.pickups.set(order.orderId, at);
  }

  droppedOff(order: Order, courier: DayCourier, at: Seconds): void {
    const { orderId } = order;
    const pickedUpAt = this.pickups.get(orderId) ?? at;
    this.dropoffs.set(orderId, at);
    this.deliveries.push({ orderId, courierId: courier.courierId, pickedUpAt, droppedOffAt: at });
  }

  isPickedUp(orderId: OrderId, now: Seconds): boolean {
    return (this.pickups.get(orderId) ?? Infinity) <= now;
  }

  isDroppedOff(orderId: OrderId, now: Seconds): boolean {
    return (this.dropoffs.get(orderId) ?? Infinity) <= now;
  }
}
