import type { Seconds } from '#schemas/brands';
import type { DayResult } from '../day';
import type { MdrpInstance } from './instance';

export const solutionFileNames = {
  assignments: 'solution_info_assignments.txt',
  orders: 'solution_info_orders.txt',
  couriers: 'solution_info_couriers.txt',
} as const;
export type SolutionFiles = Readonly<Record<keyof typeof solutionFileNames, string>>;

const minutes = (seconds: Seconds) => seconds / 60;

/** A day's result in the three files of the benchmark (minutes, whitespace-separated with a header). */
export function solutionFiles(instance: MdrpInstance, result: DayResult): SolutionFiles {
  return {
    assignments: lines(['assignment_time pickup_time courier orders'], assignmentLines(result)),
    orders: lines(
      ['order placement_time ready_time pickup_time dropoff_time courier'],
      orderLines(instance, result),
    ),
    couriers: lines(['courier departure_time origin destination'], courierLines(instance, result)),
  };
}

function lines(header: string[], rows: string[]): string {
  return [...header, ...rows, ''].join('\n');
}

function assignmentLines(result: DayResult): string[] {
  const deliveries = new Map(result.deliveries.map((delivery) => [delivery.orderId, delivery]));
  return result.bundles.map(({ assignedAt, courierId, orderIds }) => {
    const pickup = deliveries.get(orderIds[0]!)!.pickedUpAt;
    return `${minutes(assignedAt)} ${minutes(pickup)} ${courierId} ${orderIds.join(' ')}`;
  });
}

function orderLines(instance: MdrpInstance, result: DayResult): string[] {
  const deliveries = new Map<string, DayResult['deliveries'][number]>(
    result.deliveries.map((delivery) => [delivery.orderId, delivery]),
  );
  return instance.orders.flatMap(({ id, placedAt, readyAt }) => {
    const delivery = deliveries.get(id);
    if (delivery === undefined) return [];
    const { pickedUpAt, droppedOffAt, courierId } = delivery;
    return [`${id} ${placedAt} ${readyAt} ${minutes(pickedUpAt)} ${minutes(droppedOffAt)} ${courierId}`];
  });
}

function courierLines(instance: MdrpInstance, result: DayResult): string[] {
  const byCourier = new Map<string, string[]>(instance.couriers.map(({ id }) => [id, []]));
  for (const { courierId, departAt, from, to } of result.legs) {
    const origin = (from as string) === courierId ? '0' : from;
    byCourier.get(courierId)!.push(`${courierId} ${minutes(departAt)} ${origin} ${to}`);
  }
  return [...byCourier.values()].flat();
}
