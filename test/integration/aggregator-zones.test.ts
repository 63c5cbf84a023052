import type { RunId, ZoneId } from '#schemas/brands';
import { headers } from '#schemas/topics';
import { startStack } from '../support/stack';
import { AggregatorHarness, inMs, roundId, roundOf, type CutRound } from './aggregator-harness';
import { largeRound } from './large-round';

/** 6 · (10 orders + 45 pairs) · 40 couriers = 13,200 candidates: decided in a thread. */
const large = { places: 6, perPlace: 10, couriersPerBundle: 40 };

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator-zones'));
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

/** Of one zone; every fourth is a large one, and newer ones are more urgent. */
function zoneOf(count: number): CutRound[] {
  const ids = { runId: `zones-${Date.now()}` as RunId, zoneId: 'zone' as ZoneId };
  return Array.from({ length: count }, (_, i) => {
    const changes = {
      ...ids,
      roundId: roundId(`r${i}`),
      sequence: BigInt(i),
      deadline: inMs(60_000 - 500 * i),
    };
    return i % 4 === 1 ? largeRound(changes, large) : roundOf(changes);
  });
}

test('complete rounds that an older one held back are decided together, in their order, none of them stale', async () => {
  const rounds = zoneOf(12);
  for (const round of rounds) await harness.publishRound(round);
  const [oldest, ...newer] = rounds as [CutRound, ...CutRound[]];
  for (const round of newer) await harness.publishOutcomes(round.outcomes);
  await Promise.all(newer.map((round) => harness.stored(round, round.outcomes.length)));
  // All of them are complete but the oldest, which lacks everything.
  expect(newer.flatMap((round) => harness.decisionsOf(round))).toEqual([]);
  await harness.publishOutcomes(oldest.outcomes);
  const published = await Promise.all(rounds.map((round) => harness.decisionOf(round)));
  const claimed = published.map((one) => Number(one.headers[headers.closedAt]));
  expect(claimed).toEqual([...claimed].sort((a, b) => a - b));
  for (const { decision } of published) {
    expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
    expect(decision.content.unassigned.filter(({ reason }) => reason === 'stale')).toEqual([]);
  }
}, 90_000);
