import type { DispatchRound, Order } from '#schemas/domain';
import type { RecordedObservation } from '../recording/recorded-observations';
import type { RecordedRound } from '../recording/recorded-round';
import type { Predicted } from './error-figures';
import { EtrGroups } from './etr-groups';
import type { ReadyPredictor } from './predictors';

/** An order that was seen before it was ready, with what was predicted then. */
interface Waiting {
  readonly order: Order;
  readonly hour: number;
  readonly predicted: Predicted | null;
}

interface Happened {
  pickup?: number;
  dropoff?: number;
}

export interface EtrCounts {
  /** Orders seen before they were ready; of them, those whose true time a later round or a fault left unknown. */
  predicted: number;
  neverReady: number;
  withoutPrediction: number;
  observations: number;
  /** Orders finally assigned, and those of which nothing was observed. */
  assigned: number;
  unobserved: number;
}

const keyOf = (tenantId: string, runId: string, orderId: string): string =>
  [tenantId, runId, orderId].join('\u001f');

const hourOf = ({ policy }: DispatchRound): number => Math.floor(policy.context.secondsOfDay / 3_600) % 24;

/** The first report of each kind counts. */
function happenings(observations: Iterable<RecordedObservation>, counts: EtrCounts): Map<string, Happened> {
  const all = new Map<string, Happened>();
  for (const { observation } of observations) {
    const { tenantId, runId, orderId, kind, at } = observation;
    counts.observations += 1;
    if (kind !== 'picked_up' && kind !== 'dropped_off') continue;
    const key = keyOf(tenantId, runId, orderId);
    const one = all.get(key) ?? {};
    if (kind === 'picked_up') one.pickup ??= at;
    else one.dropoff ??= at;
    all.set(key, one);
  }
  return all;
}

/** Goes through rounds in their order and holds what isn't known yet. */
export class EtrEvaluation {
  readonly groups = new EtrGroups();
  readonly counts: EtrCounts = {
    ...{ predicted: 0, neverReady: 0, withoutPrediction: 0, observations: 0, assigned: 0, unobserved: 0 },
  };
  private readonly waiting = new Map<string, Waiting>();
  private readonly planned = new Set<string>();
  private readonly happened: Map<string, Happened>;

  constructor(
    observations: Iterable<RecordedObservation>,
    private readonly predict: ReadyPredictor,
  ) {
    this.happened = happenings(observations, this.counts);
  }

  async add(recorded: RecordedRound): Promise<void> {
    const { round } = recorded.manifest;
    const key = (order: Order) => keyOf(round.tenantId, round.runId, order.orderId);
    for (const order of round.orders) if (order.known.ready) this.ready(key(order), order);
    const fresh = round.orders.filter((order) => !order.known.ready && !this.waiting.has(key(order)));
    const predictions = await this.predict(recorded, fresh);
    for (const order of fresh) {
      const predicted = predictions.get(order.orderId) ?? null;
      this.counts.predicted += 1;
      if (predicted === null) this.counts.withoutPrediction += 1;
      this.waiting.set(key(order), { order, hour: hourOf(round), predicted });
    }
    this.plans(recorded);
  }

  /** A later round knows when the meal was ready. */
  private ready(key: string, { placedAt, readyAt }: Order): void {
    const waiting = this.waiting.get(key);
    if (waiting === undefined) return;
    this.waiting.delete(key);
    const { order, hour, predicted } = waiting;
    if (predicted === null) return;
    const sample = { merchant: order.pickup.placeId, hour, actual: readyAt - placedAt };
    this.groups.add('preparation', { ...sample, predicted });
    const mean = order.features.merchantMeanPrepMinutes;
    if (mean > 0) this.groups.add('merchantMean', { ...sample, predicted: { p50: 60 * mean, p90: null } });
  }

  /** Each order by the plan that it was first finally given to. */
  private plans({ manifest, decision }: RecordedRound): void {
    const { round } = manifest;
    const orders = new Map(round.orders.map((order) => [order.orderId, order]));
    for (const { orderIds, stops, stage } of decision?.decision.content.assignments ?? []) {
      if (stage !== 'final') continue;
      for (const orderId of orderIds) {
        const key = keyOf(round.tenantId, round.runId, orderId);
        const order = orders.get(orderId);
        if (order === undefined || this.planned.has(key)) continue;
        this.planned.add(key);
        this.counts.assigned += 1;
        const happened = this.happened.get(key);
        if (happened === undefined) this.counts.unobserved += 1;
        else
          this.compare(
            round,
            order,
            stops.filter((stop) => stop.orderIds.includes(orderId)),
            happened,
          );
      }
    }
  }

  private compare(
    round: DispatchRound,
    { pickup, placedAt }: Order,
    stops: readonly { readonly kind: 'pickup' | 'dropoff'; readonly servedAt: number }[],
    happened: Happened,
  ): void {
    for (const { kind, servedAt } of stops) {
      const at = happened[kind];
      if (at === undefined) continue;
      const isP90 = round.policy.quantile === 'p90';
      const seconds = servedAt - placedAt;
      const predicted = { p50: isP90 ? null : seconds, p90: isP90 ? seconds : null };
      const sample = { merchant: pickup.placeId, hour: hourOf(round), predicted, actual: at - placedAt };
      this.groups.add(kind === 'pickup' ? 'pickup' : 'door', sample);
    }
  }

  end(): void {
    this.counts.neverReady = this.waiting.size;
    this.waiting.clear();
  }
}
