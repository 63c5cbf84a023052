import { RoutePlanner } from '#native/planner/route-planner';
import { generateCandidates, planningView } from '#policy/candidates/index';
import { cityDay } from '#policy/simulation/city/city-day';
import type { Day } from '#policy/simulation/day';
import { directDispatch } from '#policy/simulation/direct-dispatch';
import { simulateDay } from '#policy/simulation/simulate-day';
import type { RunId, UnixMs } from '#schemas/brands';
import type { DispatchRound, Order } from '#schemas/domain';
import { largestWithin } from '#policy/simulation/city/city-rounds';

/** Twice and a half the bundled city: enough open orders and couriers on shift at lunch and dinner. */
const couriers = 150;
const orders = 1500;

const models = [{ name: 'candidate_cost', version: '1', contentHash: 'bench' }];
const withKnownTimes = (order: Order): Order => ({
  ...order,
  known: { ready: true, pickupWait: true, handover: true },
});

/** The round as the in-process planner can cost it: every time taken as stated. */
function asKnown(round: DispatchRound): DispatchRound {
  const travel = { ...round.policy.travel, known: true };
  return { ...round, policy: { ...round.policy, travel }, orders: round.orders.map(withKnownTimes) };
}

async function capturedRounds(day: Day): Promise<DispatchRound[]> {
  const planner = new RoutePlanner();
  const dispatch = directDispatch({ models, costShard: ({ tensors }) => planner.costShard(tensors) });
  const captured: DispatchRound[] = [];
  await simulateDay({
    day,
    runId: 'bench' as RunId,
    deadlineAt: () => 0 as UnixMs,
    dispatch: (round) => {
      captured.push(round);
      return dispatch(asKnown(round));
    },
  });
  return captured;
}

const candidateCount = (round: DispatchRound): number =>
  generateCandidates(planningView(round), Number.MAX_SAFE_INTEGER).length;

function withCouriersPerBundle(round: DispatchRound, couriersPerBundle: number): DispatchRound {
  return { ...round, policy: { ...round.policy, couriersPerBundle } };
}

/** Without the last open orders: a finer knob than the number of couriers a bundle. */
function withoutOpenOrders(round: DispatchRound, dropped: number): DispatchRound {
  const held = new Set(round.couriers.flatMap((courier) => courier.held.map(({ orderId }) => orderId)));
  const open = round.orders.filter(({ orderId }) => !held.has(orderId));
  const gone = new Set(open.slice(open.length - dropped).map(({ orderId }) => orderId));
  return { ...round, orders: round.orders.filter(({ orderId }) => !gone.has(orderId)) };
}

/** The round with at most, and nearly, `candidates` candidates. */
function thinned(round: DispatchRound, candidates: number): DispatchRound {
  const most = round.couriers.length;
  const count = (k: number): number => candidateCount(withCouriersPerBundle(round, k));
  const fit = largestWithin(1, most, candidates, count);
  const wider = withCouriersPerBundle(round, Math.min(most, fit + 1));
  const open = wider.orders.length;
  const kept = largestWithin(0, open, candidates, (n) => candidateCount(withoutOpenOrders(wider, open - n)));
  return withoutOpenOrders(wider, open - kept);
}

/**
 * Rounds of the bundled generator's city, densified: its day is dispatched in process and the busiest
 * rounds, with what the couriers hold then, are cut to `candidates` candidates each. Same seed, same rounds.
 */
export async function denseRounds(seed: number, candidates: number, count = 12): Promise<DispatchRound[]> {
  const rounds = await capturedRounds(cityDay({ seed, couriers, orders }));
  const busiest = rounds.toSorted((a, b) => b.orders.length - a.orders.length).slice(0, count);
  return busiest.map((round) => thinned(round, candidates));
}
