import { validateRound } from '#policy/validation/index';
import { generateCandidates, planningView } from '#policy/candidates/index';
import type { UnixMs } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import { cityRounds } from './city-rounds';

const options = { seed: 3, couriers: 60, orders: 120, candidates: 2_000, policy: { bundleOrders: 2 } };

test('rounds of the size asked for that ingest takes; the same for the same options', () => {
  const rounds = cityRounds(options, 2);
  expect(cityRounds(options, 2)).toEqual(rounds);
  expect(rounds[0]).not.toEqual(rounds[1]);
  for (const round of rounds) {
    const count = generateCandidates(planningView(round)).length;
    expect(count).toBeGreaterThan(1_900);
    expect(count).toBeLessThanOrEqual(2_000);
    expect(round.couriers).toHaveLength(60);
    const held = round.couriers.flatMap((courier) => courier.held);
    expect(round.orders).toHaveLength(120 + held.length);
    expect(Math.max(...round.couriers.map((courier) => courier.held.length))).toBe(3);
    const body: unknown = JSON.parse(toJsonText({ ...round, deadline: 2_000_000_000_000 }));
    expect(validateRound(body, 1_999_999_999_000 as UnixMs)).toMatchObject({ kind: 'valid' });
  }
});
