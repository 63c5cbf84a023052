import type { AssignmentCandidate, AssignmentProblem } from '#policy/assignment/problem';
import { SeededRandom } from '#policy/assignment/seeded-random';

/** Sides of the square zone and reach of a drop-off, metres; couriers ride 5 m/s. */
const ZONE_METRES = 6_000;
const METRES_PER_SECOND = 5;
const SERVICE_SECONDS = 120;

export interface CityShape {
  readonly couriers: number;
  readonly orders: number;
  /** Nearest couriers of each bundle. */
  readonly couriersPerBundle: number;
  readonly maxBundle: number;
  readonly penalty: number;
}

/** Ten shapes, from scarce couriers to plenty of them. */
export const cityShapes: readonly CityShape[] = [
  { couriers: 20, orders: 40, couriersPerBundle: 8, maxBundle: 3, penalty: 6_000 },
  { couriers: 40, orders: 40, couriersPerBundle: 8, maxBundle: 3, penalty: 6_000 },
  { couriers: 60, orders: 60, couriersPerBundle: 8, maxBundle: 3, penalty: 6_000 },
  { couriers: 60, orders: 120, couriersPerBundle: 8, maxBundle: 3, penalty: 6_000 },
  { couriers: 30, orders: 90, couriersPerBundle: 8, maxBundle: 3, penalty: 6_000 },
  { couriers: 100, orders: 150, couriersPerBundle: 8, maxBundle: 3, penalty: 6_000 },
  { couriers: 60, orders: 60, couriersPerBundle: 8, maxBundle: 2, penalty: 6_000 },
  { couriers: 15, orders: 60, couriersPerBundle: 5, maxBundle: 3, penalty: 6_000 },
  { couriers: 40, orders: 80, couriersPerBundle: 8, maxBundle: 3, penalty: 3_000 },
  { couriers: 80, orders: 60, couriersPerBundle: 12, maxBundle: 3, penalty: 6_000 },
];

interface Spot {
  readonly x: number;
  readonly y: number;
}
interface CityOrder extends Spot {
  readonly restaurant: number;
  readonly readyAt: number;
}

const metres = (a: Spot, b: Spot): number => Math.hypot(a.x - b.x, a.y - b.y);
const ride = (a: Spot, b: Spot): number => Math.ceil(metres(a, b) / METRES_PER_SECOND);

/** Overlapping bundles of up to three orders of one restaurant, the nearest couriers for each. */
export function cityProblem(seed: number, shape: CityShape): AssignmentProblem {
  const random = new SeededRandom(seed * 7_919 + 13);
  for (let i = 0; i < 20; i++) random.unit();
  const spot = (): Spot => ({ x: random.below(ZONE_METRES), y: random.below(ZONE_METRES) });
  const restaurants = Array.from({ length: Math.max(2, Math.round(shape.orders / 4)) }, spot);
  const couriers = Array.from({ length: shape.couriers }, spot);
  const orders = Array.from({ length: shape.orders }, () => cityOrder(random, restaurants));
  const penalties = orders.map(
    () => shape.penalty + (random.unit() < 0.8 ? 0 : 3_000 * (1 + random.below(3))),
  );
  const candidates = bundlesOf(orders, shape.maxBundle).flatMap((bundle) =>
    candidatesOf(bundle, { orders, restaurants, couriers }, shape.couriersPerBundle),
  );
  return { courierCount: shape.couriers, orderCount: shape.orders, candidates, penalties };
}

function cityOrder(random: SeededRandom, restaurants: readonly Spot[]): CityOrder {
  const restaurant = Math.floor(random.unit() * random.unit() * restaurants.length);
  const angle = random.unit() * 2 * Math.PI;
  const distance = 500 + random.below(2_500);
  const { x, y } = restaurants[restaurant]!;
  const readyAt = random.below(900);
  return { restaurant, readyAt, x: x + distance * Math.cos(angle), y: y + distance * Math.sin(angle) };
}

function bundlesOf(orders: readonly CityOrder[], maxBundle: number): number[][] {
  const bundles: number[][] = [];
  const grow = (bundle: number[]) => {
    bundles.push(bundle);
    if (bundle.length === maxBundle) return;
    const limit = bundle.length === 1 ? 2_500 : 2_000;
    for (let next = bundle.at(-1)! + 1; next < orders.length; next++) {
      const fits = bundle.every(
        (order) =>
          orders[order]!.restaurant === orders[next]!.restaurant &&
          metres(orders[order]!, orders[next]!) <= limit,
      );
      if (fits) grow([...bundle, next]);
    }
  };
  orders.forEach((_, order) => grow([order]));
  return bundles;
}

interface City {
  readonly orders: readonly CityOrder[];
  readonly restaurants: readonly Spot[];
  readonly couriers: readonly Spot[];
}

function candidatesOf(bundle: readonly number[], city: City, count: number): AssignmentCandidate[] {
  const restaurant = city.restaurants[city.orders[bundle[0]!]!.restaurant]!;
  const nearest = city.couriers
    .map((spot, courier) => ({ courier, distance: metres(spot, restaurant) }))
    .sort((a, b) => a.distance - b.distance || a.courier - b.courier)
    .slice(0, count);
  return nearest.map(({ courier, distance }) => {
    const ready = Math.max(...bundle.map((order) => city.orders[order]!.readyAt));
    const pickedUp = Math.max(Math.ceil(distance / METRES_PER_SECOND) + 60, ready) + SERVICE_SECONDS;
    return { courier, orders: bundle, cost: bestTour(bundle, city.orders, restaurant, pickedUp) };
  });
}

/** 10 × lateness beyond 25 minutes + duration + freshness over the best order of the drop-offs. */
function bestTour(left: readonly number[], orders: readonly CityOrder[], at: Spot, time: number): number {
  if (left.length === 0) return time;
  return Math.min(
    ...left.map((order) => {
      const drop = orders[order]!;
      const done = time + ride(at, drop) + SERVICE_SECONDS;
      const waited = done - drop.readyAt;
      const rest = left.filter((other) => other !== order);
      return 10 * Math.max(0, waited - 1_500) + waited + bestTour(rest, orders, drop, done);
    }),
  );
}

export interface MatchingShape {
  readonly couriers: number;
  readonly orders: number;
  readonly candidates: number;
  readonly maxCost: number;
  readonly penalty: number;
}

/** Single orders, uniform costs. */
export function matchingProblem(seed: number, shape: MatchingShape): AssignmentProblem {
  const random = new SeededRandom(seed * 104_729 + 7);
  const candidates = Array.from({ length: shape.candidates }, () => ({
    courier: random.below(shape.couriers),
    orders: [random.below(shape.orders)],
    cost: random.below(shape.maxCost),
  }));
  const penalties = new Array<number>(shape.orders).fill(shape.penalty);
  return { courierCount: shape.couriers, orderCount: shape.orders, candidates, penalties };
}

export interface LargeShape {
  readonly places: number;
  readonly ordersPerPlace: number;
  readonly couriersPerPlace: number;
  readonly maxBundle: 2 | 3;
}

/** Every bundle of a restaurant's orders with its nearest couriers, six couriers a restaurant; costs as bigints. */
export function largeProblem(seed: number, shape: LargeShape): AssignmentProblem {
  const random = new SeededRandom(seed * 77 + 5);
  for (let i = 0; i < 20; i++) random.unit();
  const spot = (): Spot => ({ x: random.below(ZONE_METRES), y: random.below(ZONE_METRES) });
  const couriers = Array.from({ length: Math.max(shape.couriersPerPlace, 6 * shape.places) }, spot);
  const places = Array.from({ length: shape.places }, spot);
  const candidates = places.flatMap((place, index) => {
    const first = index * shape.ordersPerPlace;
    const drops = Array.from({ length: shape.ordersPerPlace }, () => dropNear(random, place));
    const near = nearestTo(place, couriers, shape.couriersPerPlace);
    return subsets(shape.ordersPerPlace, shape.maxBundle).flatMap((bundle) => {
      const tour = tourSeconds(
        place,
        bundle.map((order) => drops[order]!),
      );
      const orders = bundle.map((order) => first + order);
      return near.map(({ courier }) => {
        const wait = Math.round(ride(place, couriers[courier]!) * (1 + bundle.length));
        return { courier, orders, cost: BigInt(wait + tour + random.below(50)) };
      });
    });
  });
  const orderCount = shape.places * shape.ordersPerPlace;
  const penalties = new Array<bigint>(orderCount).fill(6_000n);
  return { courierCount: couriers.length, orderCount, candidates, penalties };
}

function dropNear(random: SeededRandom, { x, y }: Spot): Spot {
  const angle = random.unit() * 2 * Math.PI;
  const distance = 500 + random.below(2_500);
  return { x: x + distance * Math.cos(angle), y: y + distance * Math.sin(angle) };
}

function nearestTo(place: Spot, couriers: readonly Spot[], count: number) {
  return couriers
    .map((spot, courier) => ({ courier, distance: metres(spot, place) }))
    .sort((a, b) => a.distance - b.distance || a.courier - b.courier)
    .slice(0, count);
}

/** All sets of 1 … `largest` of the numbers below `count`. */
function subsets(count: number, largest: number): number[][] {
  const sets: number[][] = [];
  const grow = (set: number[]) => {
    if (set.length > 0) sets.push(set);
    if (set.length === largest) return;
    for (let next = (set.at(-1) ?? -1) + 1; next < count; next++) grow([...set, next]);
  };
  grow([]);
  return sets;
}

/** Seconds until each drop-off, summed, in the order given. */
function tourSeconds(place: Spot, drops: readonly Spot[]): number {
  let time = 0;
  let sum = 0;
  let at = place;
  for (const drop of drops) {
    time += ride(at, drop) + SERVICE_SECONDS;
    sum += time;
    at = drop;
  }
  return sum;
}
