import { headers } from '#schemas/topics';
import type { ZoneId } from '#schemas/brands';
import { startStack } from '../support/stack';
import { atBestOf } from '../support/until';
import { AggregatorHarness, inMs } from './aggregator-harness';
import { largeRound } from './large-round';

const ROUNDS = 10;
/** 6 · (10 orders + 45 pairs) · 40 couriers = 13,200 candidates. */
const shape = { places: 6, perPlace: 10, couriersPerBundle: 40 };

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator-large-together'));
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

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
