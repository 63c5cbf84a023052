import type { UnixMs } from '#schemas/brands';
import type { ModelRef, Order } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { ETR_OUTPUTS, EtrOutput, ORDER_TIME_COLUMNS, OrderTimeColumn } from '#schemas/tensors';
import type { RecordedRound } from '../recording/recorded-round';
import type { OwnEngine } from '../run/engine-process';
import type { Predicted } from './error-figures';
import { featureRows } from './feature-rows';

/** When orders of a round will be ready, seconds from their placement; those without a prediction are absent. */
export type ReadyPredictor = (
  round: RecordedRound,
  orders: readonly Order[],
) => Promise<ReadonlyMap<string, Predicted>>;

/** The times with which plans were made, of the quantile that the round's policy names. */
export const recordedReady: ReadyPredictor = ({ manifest, outcomes }, orders) => {
  const { round } = manifest;
  const wanted = new Set<string>(orders.map(({ orderId }) => orderId));
  const found = new Map<string, Predicted>();
  for (const { outcome } of outcomes) {
    const times = new Int32Array(Uint8Array.from(outcome.orderTimes).buffer);
    for (let at = 0; at + ORDER_TIME_COLUMNS <= times.length; at += ORDER_TIME_COLUMNS) {
      const order = round.orders[times[at + OrderTimeColumn.roundIndex]!];
      if (order === undefined || !wanted.has(order.orderId)) continue;
      // Plans' times are counted from the round's asOf.
      const seconds = times[at + OrderTimeColumn.readyAt]! + round.asOf - order.placedAt;
      const isP90 = round.policy.quantile === 'p90';
      found.set(order.orderId, { p50: isP90 ? null : seconds, p90: isP90 ? seconds : null });
    }
  }
  return Promise.resolve(found);
};

const answerMs = 60_000;

/** Both quantiles, of the network as it is in the engine. */
export function networkReady(
  engine: Pick<OwnEngine, 'client' | 'lost'>,
  { name, version }: ModelRef,
): ReadyPredictor {
  return async ({ manifest: { round } }, orders) => {
    if (orders.length === 0) return new Map();
    const request = { model: name, version, requestId: round.roundId, inputs: [featureRows(round, orders)] };
    const deadline = (Date.now() + answerMs) as UnixMs;
    const { outputs } = await Promise.race([engine.client.infer(request, deadline), engine.lost]);
    const quantiles = new Float32Array(Uint8Array.from(outputs[0]?.data ?? []).buffer);
    if (quantiles.length !== orders.length * ETR_OUTPUTS)
      throw new RoundhouseError(
        'MODEL_FAILED',
        `${name} ${version} gave ${quantiles.length} values for ${orders.length} rows`,
      );
    const atLeast = (order: Order, column: number, index: number): number =>
      Math.max(round.asOf - order.placedAt, Math.round(quantiles[index * ETR_OUTPUTS + column]!));
    return new Map(
      orders.map((order, index) => [
        order.orderId as string,
        { p50: atLeast(order, EtrOutput.prepP50, index), p90: atLeast(order, EtrOutput.prepP90, index) },
      ]),
    );
  };
}
