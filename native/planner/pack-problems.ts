import { RoundhouseError } from '#schemas/errors';
import { MAX_PLAN_ORDERS, MAX_STOPS } from '#schemas/tensors';
import type { RoutePlan, RouteProblem, RouteRefusal } from './route-problem';

/** Stands for "no limit" in 64-bit times. */
const noLimit = 2n ** 63n - 1n;
/** Values of one answer: status of prepare, flags, cost, packed stops, nodes. */
export const ANSWER_VALUES = 5;

/** Why the planner refuses a problem, by the PrepareStatus of prepared.hpp. */
const refusals = [
  '',
  `has more than ${MAX_STOPS} stops`,
  `has more than ${MAX_PLAN_ORDERS} orders`,
  'has a service below 0',
  'has travel below 0',
  'has a weight below 0',
  'has a size below 0',
  'has an order without exactly one drop-off and, unless on board, one pickup before it',
  'could cost more than 2^62: weights and times are too large',
];

function wide(value: number | bigint | null): [low: number, high: number] {
  const bits = BigInt.asIntN(64, value === null ? noLimit : BigInt(value));
  return [Number(BigInt.asIntN(32, bits)), Number(bits >> 32n)];
}

function pack(problem: RouteProblem): number[] {
  const { orders, stops, weights } = problem;
  return [
    orders.length,
    stops.length,
    problem.capacity,
    problem.startAt,
    problem.interleave ? 1 : 0,
    ...wide(problem.latestPickup),
    ...wide(weights.lateness),
    ...wide(weights.duration),
    ...wide(weights.freshness),
    ...orders.flatMap((order) => [
      order.ready,
      order.promised,
      ...wide(order.latestDropoff),
      order.size,
      order.onBoard ? 1 : 0,
    ]),
    ...stops.flatMap((stop) => [
      stop.kind === 'pickup' ? 0 : 1,
      stop.group === 'held' ? 0 : 1,
      stop.orders.reduce((mask, order) => mask | (1 << order), 0),
      stop.preService,
      stop.postService,
    ]),
    ...problem.travel.flat(),
  ];
}

/** INT32 words, problem after problem; 64-bit values are two words, the low one first. */
export function packProblems(problems: readonly RouteProblem[]): Int32Array {
  problems.forEach(checkCounts);
  return Int32Array.from(problems.flatMap(pack));
}

function checkCounts({ orders, stops, travel }: RouteProblem, index: number): void {
  const limits = [
    [stops.length, MAX_STOPS, 'stops'],
    [orders.length, MAX_PLAN_ORDERS, 'orders'],
  ] as const;
  for (const [count, limit, what] of limits) {
    if (count <= limit) continue;
    throw new RoundhouseError('PAYLOAD_INVALID', `problem ${index} has ${count} ${what}, limit ${limit}`);
  }
  const nodes = stops.length + 1;
  if (travel.length !== nodes || travel.some((row) => row.length !== nodes)) {
    throw new RoundhouseError('PAYLOAD_INVALID', `problem ${index}: travel is not ${nodes} × ${nodes}`);
  }
}

function unpackAnswer(answer: BigInt64Array, stopCount: number): RoutePlan | RouteRefusal {
  const [status, flags, cost, stops, nodes] = answer as unknown as [bigint, bigint, bigint, bigint, bigint];
  if (status !== 0n) return { refused: refusals[Number(status)] ?? `is refused with status ${status}` };
  const feasible = (flags & 1n) !== 0n;
  const numberAt = (position: number) => Number((stops >> BigInt(4 * position)) & 15n) + 1;
  return {
    feasible,
    unproven: (flags & 2n) !== 0n,
    cost,
    stops: feasible ? Array.from({ length: stopCount }, (_, position) => numberAt(position)) : [],
    nodes,
  };
}

/** The plan of each problem, or why the planner refused it. */
export function unpackAnswers(
  problems: readonly RouteProblem[],
  answers: BigInt64Array,
): (RoutePlan | RouteRefusal)[] {
  return problems.map(({ stops }, index) =>
    unpackAnswer(answers.subarray(ANSWER_VALUES * index, ANSWER_VALUES * (index + 1)), stops.length),
  );
}
