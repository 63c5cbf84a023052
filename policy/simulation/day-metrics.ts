import type { CourierId } from '#schemas/brands';
import type { Order } from '#schemas/domain';
import type { Day, DayResult } from './day';
import { mean, quantile } from './statistics';

export interface DayRules {
  /** Minutes from click to door that are aimed at, and that an undelivered order counts as. */
  readonly targetClickToDoor: number;
  readonly maximumClickToDoor: number;
  readonly payPerOrder: number;
  readonly guaranteedPayPerHour: number;
}

/** Times are minutes. Click is the placement, door the drop-off; the floor is a courier waiting at every ready time. */
export interface DayMetrics {
  readonly orders: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly undeliveredPct: number;
  readonly clickToDoor: number;
  readonly clickToDoorP90: number;
  readonly clickToDoorFloor: number;
  readonly clickToDoorMinusFloor: number;
  readonly penalisedClickToDoor: number;
  readonly overage: number;
  readonly readyToPickup: number;
  readonly readyToPickupP90: number;
  readonly readyToDoor: number;
  readonly lateness: number;
  readonly lateShare: number;
  readonly ordersPerBundle: number;
  readonly costPerOrder: number;
}

interface DeliveredOrder {
  readonly clickToDoor: number;
  readonly floor: number;
  readonly readyToPickup: number;
  readonly readyToDoor: number;
  readonly late: number;
}

export function dayMetrics(day: Day, result: DayResult, rules: DayRules): DayMetrics {
  const delivered = deliveredOrders(day, result);
  const clickToDoor = delivered.map((order) => order.clickToDoor);
  const floor = mean(delivered.map((order) => order.floor));
  const undelivered = day.orders.length - delivered.length;
  const lost = rules.maximumClickToDoor * undelivered;
  return {
    orders: day.orders.length,
    delivered: delivered.length,
    undelivered,
    undeliveredPct: (100 * undelivered) / Math.max(1, day.orders.length),
    clickToDoor: mean(clickToDoor),
    clickToDoorP90: quantile(clickToDoor, 0.9),
    clickToDoorFloor: floor,
    clickToDoorMinusFloor: mean(clickToDoor) - floor,
    penalisedClickToDoor: (mean(clickToDoor) * delivered.length + lost) / Math.max(1, day.orders.length),
    overage: mean(clickToDoor.map((minutes) => Math.max(0, minutes - rules.targetClickToDoor))),
    readyToPickup: mean(delivered.map((order) => order.readyToPickup)),
    readyToPickupP90: quantile(
      delivered.map((order) => order.readyToPickup),
      0.9,
    ),
    readyToDoor: mean(delivered.map((order) => order.readyToDoor)),
    lateness: mean(delivered.map((order) => order.late)),
    lateShare: mean(delivered.map((order) => (order.late > 0 ? 1 : 0))),
    ordersPerBundle: delivered.length / Math.max(1, result.bundles.length),
    costPerOrder: pay(day, result, rules) / Math.max(1, delivered.length),
  };
}

function deliveredOrders(day: Day, result: DayResult): DeliveredOrder[] {
  const orders = new Map(day.orders.map((order) => [order.orderId, order]));
  const vehicles = new Map(day.couriers.map(({ courierId, vehicle }) => [courierId, vehicle]));
  return result.deliveries.map(({ orderId, courierId, pickedUpAt, droppedOffAt }) => {
    const order = orders.get(orderId)!;
    const readyAt = day.truth.readyAt(order);
    const floorSeconds = loneDelivery(day, order, vehicles.get(courierId)!);
    return {
      clickToDoor: (droppedOffAt - order.placedAt) / 60,
      floor: floorSeconds / 60,
      readyToPickup: (pickedUpAt - readyAt) / 60,
      readyToDoor: (droppedOffAt - readyAt) / 60,
      late: Math.max(0, droppedOffAt - order.promisedAt) / 60,
    };
  });
}

/** Click to door of an order that a courier of this vehicle stood waiting for and carried alone. */
function loneDelivery(day: Day, order: Order, vehicle: Day['couriers'][number]['vehicle']): number {
  const leftAt = day.truth.readyAt(order) + day.truth.pickupPostSeconds(order);
  const { pickup, dropoff } = order;
  const ride = day.truth.travelSeconds(vehicle, pickup.point, dropoff.point, leftAt as Order['readyAt']);
  return leftAt + ride + dropoff.preServiceSeconds - order.placedAt;
}

/** A courier earns per order, but no less than the guarantee for its shift. */
function pay(day: Day, result: DayResult, rules: DayRules): number {
  const counts = new Map<CourierId, number>();
  for (const { courierId } of result.deliveries) counts.set(courierId, (counts.get(courierId) ?? 0) + 1);
  return day.couriers.reduce((sum, { courierId, onAt, offAt }) => {
    const guaranteed = ((offAt - onAt) / 3600) * rules.guaranteedPayPerHour;
    return sum + Math.max(guaranteed, rules.payPerOrder * (counts.get(courierId) ?? 0));
  }, 0);
}
