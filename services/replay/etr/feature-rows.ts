import { distanceMetres, projectPoints } from '#policy/routing/index';
import type { DispatchRound, NamedTensor, Order } from '#schemas/domain';
import { ETR_FEATURES, EtrFeature } from '#schemas/tensors';

/** A row of the network for each of these orders (docs/etr.md has the columns). */
export function featureRows(round: DispatchRound, orders: readonly Order[]): NamedTensor {
  const points = orders.flatMap(({ pickup, dropoff }) => [pickup.point, dropoff.point]);
  const projected = projectPoints(round.space, points);
  const rows = new Float32Array(orders.length * ETR_FEATURES);
  orders.forEach((order, index) => {
    const [from, to] = [projected[2 * index]!, projected[2 * index + 1]!];
    rows.set(
      orderRow(round, order, distanceMetres(from.x - to.x, from.y - to.y) / 1_000),
      index * ETR_FEATURES,
    );
  });
  const data = new Uint8Array(rows.buffer);
  return { name: 'features', datatype: 'FP32', shape: [orders.length, ETR_FEATURES], data };
}

function orderRow(
  { asOf, policy }: DispatchRound,
  { placedAt, features }: Order,
  kilometres: number,
): number[] {
  const { secondsOfDay, dayOfWeek, rainPerMille, trafficPerMille } = policy.context;
  const angle = (2 * Math.PI * secondsOfDay) / 86_400;
  const row = new Array<number>(ETR_FEATURES).fill(0);
  row[EtrFeature.sinTimeOfDay] = Math.sin(angle);
  row[EtrFeature.cosTimeOfDay] = Math.cos(angle);
  row[EtrFeature.isWeekend] = dayOfWeek >= 5 ? 1 : 0;
  row[EtrFeature.rain] = rainPerMille / 1_000;
  row[EtrFeature.traffic] = trafficPerMille / 1_000;
  row.splice(
    EtrFeature.orderFeatures,
    8,
    ...[features.merchantMeanPrepMinutes, features.merchantStdPrepMinutes, features.merchantOpenOrders],
    ...[features.itemCount, (asOf - placedAt) / 60, features.pickupWaitMeanMinutes],
    ...[features.handoverMeanMinutes, features.dropoffFloor],
  );
  row[EtrFeature.directKilometres] = kilometres;
  return row;
}
