import { setTimeout as sleep } from 'node:timers/promises';
import type { ZoneId } from '#schemas/brands';
import { startStack } from '../support/stack';
import { AggregatorHarness, inMs, roundOf } from './aggregator-harness';

const ROUNDS = 250;
/** A machine that does much else may be late with a few; one after the other, most of them were. */
const FEW = 5;

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator-herd'));
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

test('250 incomplete rounds with one deadline are decided by that deadline', async () => {
  const deadline = inMs(9_000);
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
}, 60_000);
