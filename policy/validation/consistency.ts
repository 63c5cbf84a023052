import type { Courier, DispatchRound, Order, Point } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import { farPoints, limitOfFar } from './far-points';
import type { FaultList } from './fault-list';
import type { RoundLimits } from './limits';

function checkDuplicates(ids: readonly string[], pathOf: (index: number) => string, faults: FaultList): void {
  const first = new Map<string, number>();
  ids.forEach((id, index) => {
    if (id === '') return;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else faults.add(pathOf(index), id, `unique; it is also ${pathOf(earlier)}`);
  });
}

/** A courier that holds orders must be able to drive; others are only no candidates. */
function checkVehicle(round: DispatchRound, courier: Courier, path: string, faults: FaultList): void {
  const { travel } = round.policy;
  if (travel.kind === 'speed' && travel.metresPerHour[courier.vehicle] === 0 && courier.held.length > 0) {
    faults.add(`${path}.vehicle`, courier.vehicle, 'a vehicle with a speed above 0, since it holds orders');
  }
}

/** Held orders exist, are held once, are not cancelled, and what is on board fits. */
function checkHeld(round: DispatchRound, faults: FaultList): void {
  const orders = new Map<string, Order>(round.orders.map((order) => [order.orderId, order]));
  const cancelled = new Set<string>(round.cancelledOrderIds);
  const holder = new Map<string, string>();
  round.couriers.forEach((courier, c) => {
    let onBoard = 0;
    courier.held.forEach((held, h) => {
      const path = `couriers[${c}].held[${h}].orderId`;
      const earlier = holder.get(held.orderId);
      if (!orders.has(held.orderId)) faults.add(path, held.orderId, "an order of this round's orders");
      if (cancelled.has(held.orderId)) faults.add(path, held.orderId, 'held or cancelled, not both');
      if (earlier !== undefined) faults.add(path, held.orderId, `held once; it is also ${earlier}`);
      holder.set(held.orderId, path);
      if (held.onBoard) onBoard += orders.get(held.orderId)?.size ?? 0;
    });
    if (onBoard > courier.capacity) {
      faults.add(`couriers[${c}].held`, onBoard, `at most the capacity (${courier.capacity}) on board`);
    }
    checkVehicle(round, courier, `couriers[${c}]`, faults);
  });
}

/** Every point of a round: those of the couriers, then the pickup and drop-off of each order. */
function pointsOf({ couriers, orders }: DispatchRound): Point[] {
  const points = couriers.map(({ position }) => position);
  for (const { pickup, dropoff } of orders) points.push(pickup.point, dropoff.point);
  return points;
}

/** The path of the point with this number in `pointsOf`. */
function pointPath({ couriers }: DispatchRound, number: number): string {
  if (number < couriers.length) return `couriers[${number}].position`;
  const behind = number - couriers.length;
  return `orders[${behind >> 1}].${behind % 2 === 0 ? 'pickup' : 'dropoff'}.point`;
}

/** Names points far off the others: swapped coordinates, or zeros for unknown ones. */
function checkExtent(round: DispatchRound, faults: FaultList): void {
  const all = pointsOf(round);
  // A point with a fault of its own is not a number.
  const numbers: number[] = [];
  for (let number = 0; number < all.length; number += 1) {
    if (Number.isFinite(all[number]!.x)) numbers.push(number);
  }
  const known = numbers.length === all.length ? all : numbers.map((number) => all[number]!);
  for (const { at, isSwapped } of farPoints(round.space, known)) {
    const { x, y } = known[at]!;
    faults.add(pointPath(round, numbers[at]!), `${x}, ${y}`, limitOfFar("round's", isSwapped));
  }
}

function checkMatrix(round: DispatchRound, limits: RoundLimits, faults: FaultList): void {
  const { travel } = round.policy;
  if (travel.kind !== 'matrix') return;
  const matrix = limits.matrixOf?.(travel.contentHash);
  if (matrix === undefined) return;
  const { zones, secondsByVehicle } = matrix;
  const check = (path: string, zone: number | undefined) => {
    if (zone !== undefined && zone >= zones) faults.add(`${path}.travelZone`, zone, `below ${zones}`);
  };
  round.couriers.forEach(({ travelZone, vehicle, held }, i) => {
    check(`couriers[${i}]`, travelZone);
    if (held.length === 0 || secondsByVehicle[vehicles.indexOf(vehicle)]) return;
    faults.add(`couriers[${i}].vehicle`, vehicle, 'a vehicle that the matrix has, since it holds orders');
  });
  round.orders.forEach(({ pickup, dropoff }, i) => {
    check(`orders[${i}].pickup`, pickup.travelZone);
    check(`orders[${i}].dropoff`, dropoff.travelZone);
  });
}

/** What no single field shows. */
export function checkConsistency(round: DispatchRound, limits: RoundLimits, faults: FaultList): void {
  checkDuplicates(
    round.couriers.map(({ courierId }) => courierId),
    (i) => `couriers[${i}].courierId`,
    faults,
  );
  checkDuplicates(
    round.orders.map(({ orderId }) => orderId),
    (i) => `orders[${i}].orderId`,
    faults,
  );
  checkHeld(round, faults);
  checkMatrix(round, limits, faults);
  checkExtent(round, faults);
}
