import type { UnixMs } from '#schemas/brands';
import { validateRound } from './validate-round';

const now = 1_900_000_000_000 as UnixMs;
const body = (changes: object) => ({
  roundId: 'r',
  deadline: now + 60_000,
  asOf: 0,
  space: 'planar',
  ...changes,
});

function faultsOf(changes: object): string[] {
  const read = validateRound(body(changes), now);
  return read.kind === 'valid' ? [] : read.faults.map(({ path, limit }) => `${path}: ${limit}`);
}

function roundOf(changes: object) {
  const read = validateRound(body(changes), now);
  if (read.kind !== 'valid') throw new Error(JSON.stringify(read.faults));
  return read.round;
}

test('a round that says nothing of chains, prepositioning and pay has nothing of them', () => {
  const { policy, demand } = roundOf({ policy: { chains: null, prepositioning: null }, demand: null });
  expect(Object.keys(policy)).not.toContain('chains');
  expect(Object.keys(policy)).not.toContain('prepositioning');
  expect(Object.keys(policy)).not.toContain('uncoveredOrderCost');
  expect(demand).toBeUndefined();
});

test('chains, prepositioning and demand have defaults', () => {
  const round = roundOf({
    policy: { interleave: false, chains: {}, prepositioning: {}, uncoveredOrderCost: 7 },
    couriers: [{ courierId: 'k', position: { x: 0, y: 0 }, coveredOrders: 3 }],
    demand: [{ placeId: 'R', point: { x: 1, y: 2 } }],
  });
  expect(round.policy).toMatchObject({
    chains: { maxTrips: 3, maxOrders: 6 },
    prepositioning: { maxRideSeconds: 900, minShiftLeftSeconds: 600 },
    uncoveredOrderCost: 7,
  });
  expect(round.couriers[0]!.coveredOrders).toBe(3);
  expect(round.demand).toEqual([{ placeId: 'R', point: { x: 1, y: 2 }, weight: 1_000 }]);
});

test('trips are not mixed with other stops and have one pickup each', () => {
  expect(faultsOf({ policy: { chains: {}, mergePickups: false } })).toEqual([
    'policy.interleave: false with chains',
    'policy.mergePickups: true with chains',
  ]);
});

test.each([
  [{ policy: { interleave: false, chains: { maxTrips: 7 } } }, 'policy.chains.maxTrips'],
  [{ policy: { interleave: false, chains: { maxOrders: 0 } } }, 'policy.chains.maxOrders'],
  [{ policy: { interleave: false, chains: { maxTrip: 2 } } }, 'policy.chains.maxTrip'],
  [{ policy: { prepositioning: { maxRideSeconds: -1 } } }, 'policy.prepositioning.maxRideSeconds'],
  [{ policy: { uncoveredOrderCost: -1 } }, 'policy.uncoveredOrderCost'],
  [
    { couriers: [{ courierId: 'k', position: { x: 0, y: 0 }, coveredOrders: 1.5 }] },
    'couriers[0].coveredOrders',
  ],
  [{ demand: [{ placeId: 'R', point: { x: 1, y: 2 }, weight: -1 }] }, 'demand[0].weight'],
  [{ demand: [{ placeId: 'R' }] }, 'demand[0].point'],
  [{ demand: Array.from({ length: 2_001 }, () => ({})) }, 'demand'],
])('%j is refused', (changes, path) => {
  expect(faultsOf(changes).map((fault) => fault.split(':')[0])).toEqual([path]);
});
