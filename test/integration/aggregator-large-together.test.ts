import { headers } from '#schemas/topics';
import type { ZoneId } from '#schemas/brands';
import { startStack } from '../support/stack';
import { atBestOf } from '../support/until';
import { AggregatorHarness, inMs, roundOf, type CutRound } from './aggregator-harness';
import { largeRound } from './large-round';

const ROUNDS = 10;
/** 6 · (10 orders + 45 pairs) · 40 couriers = 13,200 candidates. */
const shape = { places: 6, perPlace: 10, couriersPerBundle: 40 };

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator-large-together'));
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

/** A round whose only shard is said to have so many candidates; its outcome never comes. */
function claiming(candidates: number, zoneId: string): CutRound {
  const { manifest } = roundOf({ deadline: inMs(10_500), zoneId: zoneId as ZoneId });
  const shardOrders = manifest.shardOrders.slice(0, 1);
  return {
    manifest: { ...manifest, shardCount: 1, shardCandidateCounts: [candidates], shardOrders },
    outcomes: [],
  };
}

test('a decision tells in its header that there was no time for the full effort', async () => {
  // Closing begins 5 s before the deadline, 4.9 s before the decision must be made. Until one was seen, a candidate
  // takes 0.004 ms: 1,500,000 take 6 s, or 3 s with the reduced effort; 4,000,000 take 16 s, or 8 s.
  const rounds = [claiming(1_500_000, 'reduced'), claiming(4_000_000, 'none')];
  await Promise.all(rounds.map((round) => harness.publishRound(round)));
  const [reduced, none] = await Promise.all(rounds.map((round) => harness.decisionOf(round)));
  expect(reduced!.headers[headers.effort]).toBe('reduced');
  expect(none!.headers[headers.effort]).toBe('none');
  for (const { decision, appendedAt } of [reduced!, none!]) {
    expect(appendedAt).toBeLessThanOrEqual(decision.deadline);
    expect(decision.content).toMatchObject({ closedBy: 'deadline', assignments: [], coverage: 0 });
  }
}, 60_000);

test('ten large rounds with one deadline: none is late, and what was made in haste says so', async () => {
  // A slower machine gets more time to read them all; deciding them all in full may take longer than is left.
  await atBestOf(3, async (attempt) => {
    const deadline = inMs(3_000 * attempt);
    const rounds = Array.from({ length: ROUNDS }, (_, i) =>
      largeRound({ deadline, zoneId: `large-${attempt}-${i}` as ZoneId }, shape),
    );
    await Promise.all(
      rounds.map(async (round) => {
        await harness.publishRound(round);
        await harness.publishOutcomes(round.outcomes);
      }),
    );
    const published = await Promise.all(rounds.map((round) => harness.decisionOf(round)));
    for (const { decision, headers: sent, appendedAt } of published) {
      expect(appendedAt).toBeLessThanOrEqual(deadline);
      const effort = sent[headers.effort] ?? 'full';
      expect(['full', 'reduced', 'none']).toContain(effort);
      const { content } = decision;
      const isSolved = content.shards.some(({ status }) => status === 'solved');
      expect(content.assignments.length > 0).toBe(isSolved);
      if (effort === 'none') expect(content.candidatesArrived).toBe(0);
      else expect(content.shards.every(({ errorCode }) => errorCode === null)).toBe(true);
    }
  });
}, 180_000);
