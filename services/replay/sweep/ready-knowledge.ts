import type { Day, Dispatch } from '#policy/simulation/day';
import { mean } from '#policy/simulation/statistics';
import type { Seconds } from '#schemas/brands';
import type { DispatchRound, NamedTensor, Order } from '#schemas/domain';
import { KnownFlag, ORDER_COLUMNS, OrderColumn } from '#schemas/tensors';

/** What is known of when meals are ready: the truth, their merchant's mean, or what the network makes of it. */
export const readiness = ['known', 'mean', 'network'] as const;
export type Readiness = (typeof readiness)[number];

interface Preparation {
  readonly mean: number;
  readonly deviation: number;
}

/** Of the day's orders by merchant: it stands for what a merchant's past would say. */
function preparations({ orders, truth }: Day): Map<string, Preparation> {
  const seconds = new Map<string, number[]>();
  for (const order of orders) {
    const { placeId } = order.pickup;
    seconds.set(placeId, [...(seconds.get(placeId) ?? []), truth.readyAt(order) - order.placedAt]);
  }
  return new Map(
    [...seconds].map(([placeId, values]) => {
      const middle = mean(values);
      const deviation = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
      return [placeId, { mean: middle, deviation }];
    }),
  );
}

/** The day whose merchants say their mean preparation time; a meal is known to be ready once it is. */
export function meanReadyDay(day: Day): Day {
  const merchants = preparations(day);
  const readyAt = new Map(day.orders.map((order) => [order.orderId, day.truth.readyAt(order)]));
  const orders = day.orders.map((order) => {
    const { mean: middle, deviation } = merchants.get(order.pickup.placeId)!;
    const features = {
      ...order.features,
      merchantMeanPrepMinutes: middle / 60,
      merchantStdPrepMinutes: deviation / 60,
    };
    const expected = (order.placedAt + Math.round(middle)) as Seconds;
    return { ...order, features, readyAt: expected, known: { ...order.known, ready: false } };
  });
  return { ...day, orders, truth: { ...day.truth, readyAt: ({ orderId }) => readyAt.get(orderId)! } };
}

/** Seconds from placement to ready of these orders, in their order. */
export type PrepPredictor = (round: DispatchRound, orders: readonly Order[]) => Promise<readonly number[]>;

/** As the merchant says. */
export const byMean: PrepPredictor = (_round, orders) =>
  Promise.resolve(orders.map(({ placedAt, readyAt }) => readyAt - placedAt));

/**
 * Decides with predicted times: a meal is expected to be ready after `share` of its predicted preparation. They stay
 * unknown, so chains are planned for what may come of them.
 */
export function withPredictedReady(dispatch: Dispatch, predict: PrepPredictor, share = 1): Dispatch {
  return async (round) => {
    const unknown = round.orders.filter(({ known }) => !known.ready);
    const predicted = await predict(round, unknown);
    const at = new Map(
      unknown.map((order, index) => [order, order.placedAt + Math.round(share * predicted[index]!)]),
    );
    const orders = round.orders.map((order) => {
      const readyAt = at.get(order);
      return readyAt === undefined ? order : { ...order, readyAt: readyAt as Seconds };
    });
    return dispatch({ ...round, orders });
  };
}

/** A shard's tables as if all its times were known: for the planner, which predicts nothing. */
export function atStatedTimes(tensors: readonly NamedTensor[]): NamedTensor[] {
  return tensors.map((tensor) => {
    if (tensor.name !== 'orders') return tensor;
    const data = tensor.data.slice();
    const rows = new Int32Array(data.buffer, data.byteOffset, data.byteLength / 4);
    for (let at = OrderColumn.flags; at < rows.length; at += ORDER_COLUMNS) rows[at]! |= KnownFlag.ready;
    return { ...tensor, data };
  });
}
