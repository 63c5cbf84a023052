import { setTimeout as sleep } from 'node:timers/promises';
import type { ZoneId } from '#schemas/brands';
import { startStack } from '../support/stack';
import { atBestOf } from '../support/until';
import { AggregatorHarness, inMs, roundOf } from './aggregator-harness';

const ROUNDS = 250;
/** One after the other, most of them would be late. */
const FEW = 25;

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator-herd'));
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

test('250 incomplete rounds with one deadline are decided by that deadline', async () => {
  // A slower machine gets more time to read them all before the first is due.
  await atBestOf(3, async (attempt) => {
    const deadline = inMs(9_000 * attempt);
    const rounds = Array.from({ length: ROUNDS }, (_, i) =>
      roundOf({ deadline, zoneId: `herd-${i}` as ZoneId }),
    );
    await Promise.all(rounds.map((round) => harness.publishRound(round)));
    await Promise.all(rounds.map((round) => harness.publishOutcomes(round.outcomes.slice(1))));
    expect(Date.now()).toBeLessThan(deadline - 4_000);
    await sleep(deadline - Date.now());
    const published = await Promise.all(rounds.map((round) => harness.decisionOf(round)));
    const lateBy = published.map(({ appendedAt }) => appendedAt - deadline).filter((ms) => ms > 0);
    expect(lateBy.length).toBeLessThanOrEqual(FEW);
    for (const { decision } of published) {
      expect(decision.content.closedBy).toBe('deadline');
      expect(decision.content.coverage).toBeGreaterThan(0);
    }
  });
}, 180_000);
