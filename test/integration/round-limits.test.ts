import type { UnixMs } from '#schemas/brands';
import { validateRound } from '../../policy/validation';
import { BackendHost } from './backend-host';
import { shardsOf } from './backend-rounds';

type Json = Record<string, any>;

let host: BackendHost;
beforeAll(async () => {
  host = await BackendHost.start(['candidate_cost']);
});
afterAll(() => host[Symbol.asyncDispose]());

const now = 1_800_000_000_000 as UnixMs;
const asOf = 1_800_000_000;

/** A courier with an order on board, and one to be assigned; every time is predicted. */
function body(): Json {
  const order = (orderId: string): Json => ({
    orderId,
    pickup: { placeId: 'R', point: { x: 0, y: 0 } },
    dropoff: { point: { x: 0, y: 0 } },
    features: {},
  });
  return {
    roundId: '1',
    deadline: now + 2_000,
    asOf,
    space: 'planar',
    couriers: [{ courierId: 'k', position: { x: 0, y: 0 }, held: [{ orderId: 'b', onBoard: true }] }],
    orders: [order('a'), order('b')],
    policy: { candidateRadiusMetres: 2_000_000 },
  };
}

function put(target: Json, path: string, value: unknown): Json {
  const names = path.split('.');
  const last = names.pop()!;
  let at = target;
  for (const name of names) at = at[name] ??= {};
  at[last] = value;
  return target;
}

const farOff = 2 ** 30;
/** Path, the value at its limit, and the next one, which is refused. */
const limits: readonly (readonly [string, number, number])[] = [
  ['asOf', 1e11 - 1, 1e11],
  ['asOf', -(2 ** 47), -(2 ** 47) - 1],
  ...['lateness', 'duration', 'freshness'].map((name) => [`policy.weights.${name}`, 1e6, 1e6 + 1] as const),
  ['policy.travel.metresPerHour.bike', 1e6, 1e6 + 1],
  ['policy.travel.metresPerHour.bike', 500, 499],
  ['policy.travel.quantumSeconds', 3_600, 3_601],
  ['policy.couriersPerBundle', 65_534, 65_535],
  ['policy.unassignedPenalty.base', 1e12, 1e12 + 1],
  ['policy.unassignedPenalty.perDeferral', 1e9, 1e9 + 1],
  ['policy.reshuffleCost', 1e12, 1e12 + 1],
  ['policy.context.secondsOfDay', 86_399, 86_400],
  ['policy.context.dayOfWeek', 6, 7],
  ['policy.context.rainPerMille', 1_000, 1_001],
  ['policy.context.trafficPerMille', 1_000, 1_001],
  ['couriers.0.position.x', 1e6, 1e6 + 1],
  ['couriers.0.position.y', -1e6, -1e6 - 1],
  ['couriers.0.capacity', 1e6, 1e6 + 1],
  ['couriers.0.availableAt', asOf + farOff, asOf + farOff + 1],
  ['couriers.0.availableAt', asOf - farOff, asOf - farOff - 1],
  ['couriers.0.shiftEndsAt', asOf + farOff, asOf + farOff + 1],
  ['orders.0.dropoff.point.x', 1e6, 1e6 + 1],
  ['orders.0.pickup.preServiceSeconds', 86_400, 86_401],
  ['orders.0.pickup.postServiceSeconds', 86_400, 86_401],
  ['orders.0.dropoff.preServiceSeconds', 86_400, 86_401],
  ['orders.0.dropoff.postServiceSeconds', 86_400, 86_401],
  ['orders.0.size', 1e6, 1e6 + 1],
  ['orders.0.timesDeferred', 1e5, 1e5 + 1],
  ['orders.0.placedAt', asOf - farOff, asOf - farOff - 1],
  ['orders.0.readyAt', asOf + farOff, asOf + farOff + 1],
  ['orders.0.promisedAt', asOf + farOff, asOf + farOff + 1],
  ['orders.0.latestDropoffAt', asOf + farOff, asOf + farOff + 1],
  ...['merchantMeanPrepMinutes', 'itemCount', 'pickupWaitMeanMinutes', 'dropoffFloor'].flatMap(
    (name) =>
      [
        [`orders.0.features.${name}`, 1e6, 1e6 + 1],
        [`orders.0.features.${name}`, -1e6, -1e6 - 1],
      ] as const,
  ),
];

async function solve(value: unknown): Promise<number> {
  const result = validateRound(value, now);
  if (result.kind !== 'valid') throw new Error(JSON.stringify(result));
  const shards = shardsOf(result.round, 500);
  for (const { tensors } of shards) await host.server.infer({ model: 'candidate_cost', inputs: tensors });
  return shards.length;
}

test.each(limits)(
  '%s: the engine takes %d, the limit of a round, and %d is refused',
  async (path, most, above) => {
    const refused = validateRound(put(body(), path, above), now);
    const [list, index, ...names] = path.split('.');
    const faultPath = /^\d$/.test(index ?? '') ? [`${list}[${index}]`, ...names].join('.') : path;
    // Of a point off the middle the fault is the point's.
    const paths = refused.kind === 'invalid' ? refused.faults.map((fault) => fault.path) : [];
    expect(paths.some((found) => faultPath.startsWith(found))).toBe(true);
    expect(await solve(put(body(), path, most))).toBe(1);
  },
);

test('all upper limits at once', async () => {
  const one = limits.filter(([path, most]) => most > 0 && most !== 500 && path !== 'asOf');
  const value = one.reduce((built, [path, most]) => put(built, path, most), body());
  expect(await solve(value)).toBe(1);
});
