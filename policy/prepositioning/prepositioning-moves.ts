import type { CourierId, Seconds } from '#schemas/brands';
import type {
  Assignment,
  Courier,
  CourierMove,
  DemandPlace,
  DispatchRound,
  Point,
  PrepositioningRule,
} from '#schemas/domain';
import { projectPoints, travelTime, noRideFactors, type TravelMatrix } from '../routing/index';
import { Coverage, type Supply } from './coverage';

/** Places and couriers that the model looks at; where there are more, those of the most orders. */
const MOST_PLACES = 240;
const MOST_IDLE = 200;
/** Order-seconds that a move must save, and must save more for each second of it. */
const LEAST_GAIN = 12;
const COST_OF_RIDE = 0.02;
/** Share of a move's time that counts as not being there. */
const UNDER_WAY = 0.5;

/** A courier beyond its plan, and where that leaves it. */
interface Standing {
  readonly courier: Courier;
  readonly isIdle: boolean;
  /** Seconds from asOf. */
  readonly freeAt: number;
  readonly point: Point;
  readonly zone: number;
}

/**
 * Sends couriers without orders, stops or plans to where the orders that `demand` expects would find nobody near. Greedy:
 * the move that saves most first. None where the round doesn't ask for it.
 */
export function prepositioningMoves(
  round: DispatchRound,
  assignments: readonly Assignment[],
  matrix?: TravelMatrix,
): CourierMove[] {
  const { prepositioning } = round.policy;
  const demand = heaviest(round.demand ?? []);
  if (prepositioning === undefined || demand.length === 0) return [];
  const standing = standings(round, assignments, prepositioning);
  if (!standing.some(({ isIdle }) => isIdle)) return [];
  return new Moves(round, prepositioning, demand, standing, matrix).choose();
}

/** About how often `prepositioningMoves` may look at a demand place, before any courier has moved. */
export function movesWork({ policy, demand = [], couriers }: DispatchRound): number {
  if (policy.prepositioning === undefined) return 0;
  return Math.min(MOST_IDLE, couriers.length) * Math.min(MOST_PLACES, demand.length) ** 2;
}

function heaviest(demand: readonly DemandPlace[]): DemandPlace[] {
  const wanted = demand.filter(({ weight }) => weight > 0);
  return wanted.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_PLACES);
}

function standings(
  round: DispatchRound,
  assignments: readonly Assignment[],
  { minShiftLeftSeconds }: PrepositioningRule,
): Standing[] {
  const last = new Map<CourierId, Assignment>(
    assignments.map((assignment) => [assignment.courierId, assignment]),
  );
  const dropoffs = new Map(round.orders.map(({ orderId, dropoff }) => [orderId, dropoff]));
  let idle = 0;
  return round.couriers.flatMap((courier) => {
    const stop = last.get(courier.courierId)?.stops.at(-1);
    const freeAt = Math.max(0, (stop?.departAt ?? courier.availableAt) - round.asOf);
    if (courier.shiftEndsAt - round.asOf - freeAt < minShiftLeftSeconds) return [];
    const isIdle = stop === undefined && freeAt === 0 && courier.held.length === 0 && idle < MOST_IDLE;
    if (isIdle) idle += 1;
    const at = stop === undefined ? undefined : dropoffs.get(stop.orderIds[0]!);
    const zone = (at === undefined ? courier.travelZone : at.travelZone) ?? -1;
    return [{ courier, isIdle, freeAt, point: at?.point ?? courier.position, zone }];
  });
}

interface Move {
  readonly target: number;
  readonly gain: number;
}

class Moves {
  private readonly coverage: Coverage;
  private readonly supply: Supply[];
  private readonly ride: (courier: number, from: number, to: number) => number;

  constructor(
    private readonly round: DispatchRound,
    private readonly rule: PrepositioningRule,
    private readonly demand: readonly DemandPlace[],
    private readonly standing: readonly Standing[],
    matrix: TravelMatrix | undefined,
  ) {
    this.ride = ridesBetween(round, demand, standing, matrix);
    this.supply = standing.map(({ freeAt }, i) => ({ freeAt, place: demand.length + i }));
    const places = {
      place: Int32Array.from(demand, (_, i) => i),
      weight: Float64Array.from(demand, ({ weight }) => weight / 1_000),
    };
    this.coverage = new Coverage(places, this.supply, this.ride);
  }

  /** Gains only fall as others move, nearly always: the largest known one is looked at again before it counts. */
  choose(): CourierMove[] {
    const moves: CourierMove[] = [];
    const known = new Map<number, Move>();
    this.standing.forEach(({ isIdle }, courier) => {
      const best = isIdle ? this.best(courier) : null;
      if (best !== null) known.set(courier, best);
    });
    for (;;) {
      const courier = largest(known);
      if (courier === null) return moves;
      const seen = known.get(courier)!;
      const now = this.best(courier);
      if (now === null) known.delete(courier);
      else if (now.gain < seen.gain) known.set(courier, now);
      else {
        known.delete(courier);
        moves.push(this.take(courier, now.target));
      }
    }
  }

  private best(courier: number): Move | null {
    const { freeAt, place } = this.supply[courier]!;
    let best: Move | null = null;
    for (let target = 0; target < this.demand.length; target += 1) {
      const ride = this.ride(courier, place, target);
      if (ride === 0 || ride > this.rule.maxRideSeconds || !this.isWorthwhile(courier, freeAt + ride))
        continue;
      const gain = this.coverage.gain(courier, target, freeAt + UNDER_WAY * ride) - COST_OF_RIDE * ride;
      if (gain > (best?.gain ?? LEAST_GAIN)) best = { target, gain };
    }
    return best;
  }

  private isWorthwhile(courier: number, arrival: number): boolean {
    const { shiftEndsAt } = this.standing[courier]!.courier;
    return shiftEndsAt - this.round.asOf - arrival >= this.rule.minShiftLeftSeconds;
  }

  private take(courier: number, target: number): CourierMove {
    const { freeAt, place } = this.supply[courier]!;
    this.coverage.move(courier, target, freeAt + this.ride(courier, place, target));
    return {
      courierId: this.standing[courier]!.courier.courierId,
      placeId: this.demand[target]!.placeId,
      departAt: (this.round.asOf + freeAt) as Seconds,
    };
  }
}

function largest(moves: ReadonlyMap<number, Move>): number | null {
  let best: number | null = null;
  for (const [courier, { gain }] of moves) {
    if (best === null || gain > moves.get(best)!.gain) best = courier;
  }
  return best;
}

/** A courier's seconds to a demand place, from one or from where a courier stands: those are numbered behind them. */
function ridesBetween(
  round: DispatchRound,
  demand: readonly DemandPlace[],
  standing: readonly Standing[],
  matrix: TravelMatrix | undefined,
) {
  const points = [...demand.map(({ point }) => point), ...standing.map(({ point }) => point)];
  const metres = projectPoints(round.space, points);
  const zones = [...demand.map(({ travelZone = -1 }) => travelZone), ...standing.map(({ zone }) => zone)];
  const geometry = {
    x: Int32Array.from(metres, ({ x }) => x),
    y: Int32Array.from(metres, ({ y }) => y),
    zone: Int32Array.from(zones),
    courierPlace: none,
    pickupPlace: none,
    dropoffPlace: none,
  };
  const travel = travelTime(round, geometry, noRideFactors, matrix);
  const known = new Map<string, Float64Array>();
  return (courier: number, from: number, to: number): number => {
    const { vehicle } = standing[courier]!.courier;
    let rides = known.get(vehicle);
    if (rides === undefined) {
      rides = new Float64Array(points.length * demand.length).fill(-1);
      known.set(vehicle, rides);
    }
    const at = from * demand.length + to;
    if (rides[at]! < 0) rides[at] = travel(from, to, vehicle);
    return rides[at]!;
  };
}

const none = new Int32Array(0);
