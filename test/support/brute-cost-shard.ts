import type { Shard, ShardOutcome } from '#schemas/domain';
import {
  COURIER_COLUMNS,
  CourierColumn,
  HELD_COLUMNS,
  HeldColumn,
  NO_LIMIT,
  NO_ROW,
  ORDER_COLUMNS,
  OrderColumn,
  PLACE_COLUMNS,
  Param,
} from '#schemas/tensors';
import {
  encodeOrderTimes,
  encodePlans,
  packStops,
  travelSeconds,
  distanceMetres,
} from '#policy/routing/index';
import { tensorValues } from './tensor-values';

/** A stop of a candidate as the numbering rule of tensors.ts makes it. */
interface Stop {
  readonly pickup: boolean;
  /** 0: held; 1, 2, …: the trips of the bundle. */
  readonly group: number;
  readonly orders: number[];
}

/**
 * The shard's plans by plain depth-first search over its tensors, for tests without the native planner.
 * It shares no code with the planner and takes all stated times as known. Small plans only.
 */
export class BruteShard {
  private readonly params: readonly number[];
  private readonly couriers: ArrayLike<number>;
  private readonly held: ArrayLike<number>;
  private readonly orders: ArrayLike<number>;
  private readonly places: ArrayLike<number>;
  private readonly candidates: ArrayLike<number>;

  constructor(private readonly shard: Shard) {
    const values = (name: string) => tensorValues(shard, name) as unknown as ArrayLike<number>;
    this.params = Array.from(values('params'), Number);
    this.couriers = values('couriers');
    this.held = values('held');
    this.orders = values('orders');
    this.places = values('places');
    this.candidates = values('candidates');
  }

  outcome(): ShardOutcome {
    const { shard } = this;
    const width = this.params[Param.candidateColumns]!;
    const plans = Array.from({ length: this.candidates.length / width }, (_, row) => {
      const cells = Array.from({ length: width }, (_, i) => this.candidates[row * width + i]!);
      return this.plan(
        cells[0]!,
        cells.slice(1).filter((order) => order !== NO_ROW),
      );
    });
    return {
      tenantId: shard.tenantId,
      runId: shard.runId,
      roundId: shard.roundId,
      shardIndex: shard.shardIndex,
      zoneId: shard.zoneId,
      shardCount: shard.shardCount,
      candidateCount: shard.candidateCount,
      status: 'solved',
      errorCode: null,
      plans: encodePlans(plans),
      orderTimes: this.orderTimes(),
      rideFactors: new Uint8Array(Int32Array.of(1000, 1000, 1000, 1000).buffer),
      models: [shard.model],
      deviceKind: 'cpu',
    };
  }

  private orderTimes(): Uint8Array {
    const rows = this.orders.length / ORDER_COLUMNS;
    const times = Array.from({ length: rows }, (_, row) => {
      const [readyAt, pickupPostService, dropoffPostService] = [
        this.order(row, 'readyAt'),
        this.order(row, 'pickupPostService'),
        this.order(row, 'dropoffPostService'),
      ];
      return [this.order(row, 'roundIndex'), { readyAt, pickupPostService, dropoffPostService }] as const;
    });
    return encodeOrderTimes(new Map(times));
  }

  private order(row: number, column: keyof typeof OrderColumn): number {
    return this.orders[row * ORDER_COLUMNS + OrderColumn[column]]!;
  }

  private courier(row: number, column: keyof typeof CourierColumn): number {
    return this.couriers[row * COURIER_COLUMNS + CourierColumn[column]]!;
  }

  private ride(from: number, to: number, vehicle: number): number {
    const dx = this.places[from * PLACE_COLUMNS]! - this.places[to * PLACE_COLUMNS]!;
    const dy = this.places[from * PLACE_COLUMNS + 1]! - this.places[to * PLACE_COLUMNS + 1]!;
    const speed = this.params[Param.metresPerHour + vehicle]!;
    return travelSeconds(distanceMetres(dx, dy), speed, this.params[Param.quantumSeconds]!, 1000);
  }

  private stopsOf(courier: number, bundle: readonly number[]): { stops: Stop[]; onBoard: number[] } {
    const stops: Stop[] = [];
    const onBoard: number[] = [];
    const opened = new Map<string, Stop>();
    const add = (order: number, group: number, aboard: boolean) => {
      const together = this.params[Param.interleave] === 1 ? 'all' : String(group);
      const key = `${together} ${this.order(order, 'pickupPlace')}`;
      const joined = this.params[Param.mergePickups] === 1 ? opened.get(key) : undefined;
      if (aboard) onBoard.push(order);
      else if (joined) joined.orders.push(order);
      else {
        const stop = { pickup: true, group, orders: [order] };
        opened.set(key, stop);
        stops.push(stop);
      }
      stops.push({ pickup: false, group, orders: [order] });
    };
    const offset = this.courier(courier, 'heldOffset');
    for (let i = 0; i < this.courier(courier, 'heldCount'); i += 1) {
      const row = (offset + i) * HELD_COLUMNS;
      add(this.held[row + HeldColumn.order]!, 0, this.held[row + HeldColumn.onBoard] === 1);
    }
    let trip = 1;
    bundle.forEach((order, i) => {
      const place = this.order(order, 'pickupPlace');
      const isSame = i === 0 || place === this.order(bundle[i - 1]!, 'pickupPlace');
      if (!isSame && this.params[Param.interleave] === 2) trip += 1;
      add(order, trip, false);
    });
    return { stops, onBoard };
  }

  private plan(courier: number, bundle: readonly number[]) {
    const { stops, onBoard } = this.stopsOf(courier, bundle);
    const best = new BruteSearch(stops, (stop, state) => this.visit(courier, stop, state)).run(
      {
        time: this.courier(courier, 'startAt'),
        place: this.courier(courier, 'place'),
        aboard: new Set(onBoard),
        load: onBoard.reduce((sum, order) => sum + this.order(order, 'size'), 0),
        cost: 0,
      },
      this.params[Param.interleave] === 1,
    );
    return {
      courier: this.courier(courier, 'roundIndex'),
      orders: bundle.map((order) => this.order(order, 'roundIndex')),
      feasible: best !== null,
      unproven: false,
      cost: BigInt(best?.cost ?? 0),
      packedStops: packStops(best?.sequence ?? []),
    };
  }

  /** The state after a stop, or null where a limit is broken. */
  private visit(courier: number, stop: Stop, state: State): State | null {
    const vehicle = this.courier(courier, 'vehicle');
    const side = stop.pickup ? 'pickup' : 'dropoff';
    const place = this.order(stop.orders[0]!, `${side}Place`);
    const most = (column: keyof typeof OrderColumn) =>
      Math.max(...stop.orders.map((o) => this.order(o, column)));
    const arrive = state.time + this.ride(state.place, place, vehicle) + most(`${side}PreService`);
    const aboard = new Set(state.aboard);
    const sizes = stop.orders.reduce((sum, order) => sum + this.order(order, 'size'), 0);
    const [late, duration, fresh] = [Param.weightLateness, Param.weightDuration, Param.weightFreshness].map(
      (index) => this.params[index]!,
    ) as [number, number, number];
    if (stop.pickup) {
      const served = Math.max(arrive, most('readyAt'));
      const load = state.load + sizes;
      if (served > this.courier(courier, 'latestPickupAt') || load > this.courier(courier, 'capacity'))
        return null;
      stop.orders.forEach((order) => aboard.add(order));
      const time = served + most('pickupPostService');
      return { time, place, aboard, load, cost: state.cost + duration * (time - state.time) };
    }
    const order = stop.orders[0]!;
    const limit = this.order(order, 'latestDropoffAt');
    if (!aboard.delete(order) || (limit !== NO_LIMIT && arrive > limit)) return null;
    const time = arrive + this.order(order, 'dropoffPostService');
    const cost =
      late * Math.max(0, arrive - this.order(order, 'promisedAt')) +
      fresh * (arrive - this.order(order, 'readyAt')) +
      duration * (time - state.time);
    return { time, place, aboard, load: state.load - sizes, cost: state.cost + cost };
  }
}

interface State {
  readonly time: number;
  readonly place: number;
  readonly aboard: ReadonlySet<number>;
  readonly load: number;
  readonly cost: number;
}

/** Visits stops in ascending number, so that the first of equal costs is the lexicographically smallest. */
class BruteSearch {
  private best: { cost: number; sequence: number[] } | null = null;
  private readonly sequence: number[] = [];

  constructor(
    private readonly stops: readonly Stop[],
    private readonly visit: (stop: Stop, state: State) => State | null,
  ) {}

  run(start: State, interleave: boolean) {
    this.search(start, interleave);
    return this.best;
  }

  private search(state: State, interleave: boolean): void {
    if (this.best !== null && state.cost >= this.best.cost) return;
    if (this.sequence.length === this.stops.length) {
      this.best = { cost: state.cost, sequence: [...this.sequence] };
      return;
    }
    const left = this.stops.filter((_, i) => !this.sequence.includes(i + 1));
    const group = Math.min(...left.map((stop) => stop.group));
    this.stops.forEach((stop, i) => {
      if (this.sequence.includes(i + 1) || (!interleave && stop.group > group)) return;
      const next = this.visit(stop, state);
      if (next === null) return;
      this.sequence.push(i + 1);
      this.search(next, interleave);
      this.sequence.pop();
    });
  }
}

export function bruteCostShard(shard: Shard): ShardOutcome {
  return new BruteShard(shard).outcome();
}
