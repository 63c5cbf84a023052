import type { RouteOrder, RouteProblem, RouteStop } from '#native/planner/route-problem';

/** Park and Miller: the same problems on every machine. */
function seededRandom(seed: number): (least: number, most: number) => number {
  let state = seed;
  return (least, most) => {
    state = (state * 48_271) % 2_147_483_647;
    return least + (state % (most - least + 1));
  };
}

const citySide = 10_000;
/** 20 km/h in metres per second. */
const speed = 20_000 / 3_600;
const start = 40_000;

interface Drawn {
  readonly order: RouteOrder;
  readonly stops: readonly RouteStop[];
}

function drawOrder(random: ReturnType<typeof seededRandom>, index: number, onBoard: boolean): Drawn {
  const ready = onBoard ? start - random(0, 900) : start + random(-600, 1_500);
  const stop = (kind: RouteStop['kind']): RouteStop => ({
    kind,
    group: 'held',
    orders: [index],
    preService: 0,
    postService: random(60, 240),
  });
  return {
    order: { ready, promised: ready + random(1_200, 4_000), latestDropoff: null, size: 1, onBoard },
    stops: onBoard ? [stop('dropoff')] : [stop('pickup'), stop('dropoff')],
  };
}

/** Seconds between random points, each way with its own detour of up to a tenth. */
function drawTravel(random: ReturnType<typeof seededRandom>, nodes: number): number[][] {
  const points = Array.from({ length: nodes }, () => [random(0, citySide), random(0, citySide)] as const);
  return points.map(([x, y], from) =>
    points.map(([toX, toY], to) =>
      from === to ? 0 : Math.ceil((Math.hypot(toX - x, toY - y) / speed) * (1 + random(0, 100) / 1_000)),
    ),
  );
}

/** A courier in a city of 10 km at 20 km/h with `orders` orders, each on board with a probability. */
function drawProblem(
  random: ReturnType<typeof seededRandom>,
  orders: number,
  onBoardPercent: number,
): RouteProblem {
  const drawn: Drawn[] = [];
  for (let index = 0; index < orders; index += 1) {
    const aboard = drawn.filter(({ order }) => order.onBoard).length;
    drawn.push(drawOrder(random, index, aboard < 3 && random(0, 99) < onBoardPercent));
  }
  const stops = drawn.flatMap((entry) => entry.stops);
  return {
    orders: drawn.map(({ order }) => order),
    stops,
    travel: drawTravel(random, stops.length + 1),
    weights: { lateness: 10, duration: 2, freshness: 1 },
    startAt: start,
    capacity: Math.max(4, orders),
    latestPickup: null,
    interleave: true,
  };
}

export function cityProblems(
  seed: number,
  count: number,
  orders: number,
  onBoardPercent: number,
): RouteProblem[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => drawProblem(random, orders, onBoardPercent));
}
