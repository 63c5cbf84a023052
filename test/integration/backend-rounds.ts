import type { Seconds } from '#schemas/brands';
import type { Courier, DispatchRound, ModelRef, Order, RoundPolicy, Shard } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import type { TravelMatrix } from '../../policy/routing';
import { cutRound } from '../../policy/sharding';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../support/build-round';

export const models: readonly ModelRef[] = [
  { name: 'candidate_cost', version: '1', contentHash: '0'.repeat(64) },
];

/** A small generator with a fixed sequence for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface CityShape {
  readonly seed: number;
  readonly couriers: number;
  readonly orders: number;
  /** Of the open orders, how many more are held by couriers. */
  readonly heldPerCourier?: number;
  readonly policy?: Partial<RoundPolicy>;
  /** Are the orders' times known? */
  readonly known?: boolean;
  /** Zone count of the round's matrix. */
  readonly zones?: number;
}

const asOf = 43_200;

class CityBuilder {
  private readonly random: () => number;
  constructor(private readonly shape: CityShape) {
    this.random = randomOf(shape.seed);
  }

  private whole(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }
  private zone(): { travelZone?: number } {
    return this.shape.zones === undefined ? {} : { travelZone: this.whole(0, this.shape.zones - 1) };
  }
  private stop(placeId: string, x: number, y: number) {
    return buildStop(placeId, x, y, {
      preServiceSeconds: this.whole(0, 60) as Seconds,
      postServiceSeconds: this.whole(30, 180) as Seconds,
      ...this.zone(),
    });
  }

  /** A 6 km city of 25 restaurants; drop-offs within 3 km. */
  order(id: string, onBoard = false): Order {
    const restaurant = this.whole(0, 24);
    const [x, y] = [(restaurant % 5) * 1_500 - 3_000, Math.floor(restaurant / 5) * 1_500 - 3_000];
    const placedAt = asOf - this.whole(0, 900);
    const known = this.shape.known ?? false;
    const unknownMerchant = this.random() < 0.2;
    return buildOrder(id, {
      pickup: this.stop(`R${restaurant}`, x, y),
      dropoff: this.stop(`H-${id}`, x + this.whole(-3_000, 3_000), y + this.whole(-3_000, 3_000)),
      placedAt: placedAt as Seconds,
      readyAt: (onBoard ? placedAt : placedAt + this.whole(300, 1_500)) as Seconds,
      promisedAt: (placedAt + 2_700) as Seconds,
      known: { ready: known, pickupWait: known || this.random() < 0.3, handover: known },
      features: {
        merchantMeanPrepMinutes: unknownMerchant ? 0 : this.whole(5, 25),
        merchantStdPrepMinutes: unknownMerchant ? 0 : this.whole(1, 8),
        merchantOpenOrders: this.whole(0, 9),
        itemCount: this.whole(1, 6),
        pickupWaitMeanMinutes: this.random() * 4,
        handoverMeanMinutes: this.random() * 5,
        dropoffFloor: this.whole(0, 8),
      },
    });
  }

  courier(id: string, held: readonly { order: Order; onBoard: boolean }[]): Courier {
    return buildCourier(id, {
      position: { x: this.whole(-4_000, 4_000), y: this.whole(-4_000, 4_000) },
      availableAt: (asOf + this.whole(0, 300)) as Seconds,
      shiftEndsAt: (asOf + 14_400) as Seconds,
      vehicle: vehicles[this.whole(1, 3)]!,
      capacity: 6,
      held: held.map(({ order, onBoard }) => ({ orderId: order.orderId, onBoard })),
      ...this.zone(),
    });
  }

  round(): DispatchRound {
    const { shape } = this;
    const orders = Array.from({ length: shape.orders }, (_, i) => this.order(`o${i}`));
    const couriers = Array.from({ length: shape.couriers }, (_, c) => {
      const count = this.whole(0, shape.heldPerCourier ?? 0);
      const held = Array.from({ length: count }, (_, h) => ({
        order: this.order(`c${c}-held${h}`, h === 0),
        onBoard: h === 0,
      }));
      orders.push(...held.map(({ order }) => order));
      return this.courier(`c${c}`, held);
    });
    return buildRound({ asOf: asOf as Seconds, couriers, orders, policy: cityPolicy(shape.policy) });
  }
}

function cityPolicy(changes: Partial<RoundPolicy> = {}): RoundPolicy {
  return buildPolicy({
    travel: {
      kind: 'speed',
      metresPerHour: { walk: 4_500, bike: 15_000, scooter: 22_000, car: 25_000 },
      quantumSeconds: 1 as Seconds,
      known: false,
    },
    couriersPerBundle: 8,
    context: { secondsOfDay: asOf as Seconds, dayOfWeek: 4, rainPerMille: 250, trafficPerMille: 600 },
    ...changes,
  });
}

/** A round of a made-up city, the same for the same shape. */
export const cityRound = (shape: CityShape): DispatchRound => new CityBuilder(shape).round();

export function shardsOf(
  round: DispatchRound,
  candidatesPerShard: number,
  matrix?: TravelMatrix,
): readonly Shard[] {
  return cutRound(round, models, { candidatesPerShard, ...(matrix ? { matrix } : {}) }).shards;
}
