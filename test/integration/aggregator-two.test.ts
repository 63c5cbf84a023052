import { setTimeout as sleep } from 'node:timers/promises';
import type { ZoneId } from '#schemas/brands';
import { outageOf } from '#schemas/outage-mark';
import { headers } from '#schemas/topics';
import { startStack } from '../support/stack';
import { AggregatorHarness, inMs, roundOf, type CutRound } from './aggregator-harness';

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator-two'), 2);
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

const roundsOfZones = (count: number, deadlineMs: number): CutRound[] =>
  Array.from({ length: count }, (_, i) =>
    roundOf({ deadline: inMs(deadlineMs), zoneId: `zone-${i}` as ZoneId }),
  );

/** Lacks one outcome, so that the deadline closes it; resolves when an instance has it. */
async function publishLackingOne(round: CutRound): Promise<void> {
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes.slice(1));
  await harness.stored(round, round.outcomes.length - 1);
}

test('two instances decide every round once, wherever its outcomes arrive', async () => {
  const rounds = roundsOfZones(12, 30_000);
  await Promise.all(rounds.map((round) => harness.publishRound(round)));
  await Promise.all(rounds.map((round) => harness.publishOutcomes(round.outcomes)));
  for (const round of rounds) {
    const { decision } = await harness.decisionOf(round);
    expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
  }
  await sleep(300);
  for (const round of rounds) expect(harness.decisionsOf(round)).toHaveLength(1);
}, 90_000);

test('one instance stopped with rounds open: the other takes new rounds in time, and the open ones', async () => {
  const long = roundsOfZones(8, 120_000);
  await Promise.all(long.map(publishLackingOne));
  harness.pipeline.signal('aggregator', 'SIGTERM');
  // New rounds in all zones, half of which were its own, for the nine seconds that it stays.
  const short: CutRound[] = [];
  for (let i = 0; i < 24; i++) {
    // Less than the nine seconds, so that none of them waits until it is gone.
    const round = roundOf({ deadline: inMs(6_000), zoneId: `zone-${i % 8}` as ZoneId });
    short.push(round);
    await harness.publishRound(round);
    await sleep(300);
  }
  for (const round of short) {
    const { decision, headers: sent, appendedAt } = await harness.decisionOf(round);
    expect(appendedAt - decision.deadline).toBeLessThanOrEqual(0);
    expect(sent[headers.outage]).toBeUndefined();
  }
  await Promise.all(long.map((round) => harness.publishOutcomes(round.outcomes.slice(0, 1))));
  for (const round of long) {
    const { decision } = await harness.decisionOf(round);
    expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
  }
  for (const round of [...long, ...short]) {
    const contents = new Set(harness.decisionsOf(round).map(({ decision }) => decision.contentHash));
    expect(contents.size).toBe(1);
  }
  await harness.pipeline.restart('aggregator');
}, 150_000);

test('one instance killed: the other decides its rounds by their deadlines, from Redis', async () => {
  const rounds = roundsOfZones(8, 6_000);
  await Promise.all(rounds.map(publishLackingOne));
  await harness.pipeline.kill('aggregator');
  for (const round of rounds) {
    const { decision, headers: sent, appendedAt } = await harness.decisionOf(round);
    expect(decision.content.closedBy).toBe('deadline');
    expect(decision.content.coverage).toBeGreaterThan(0);
    const { deadline } = decision;
    if (appendedAt > deadline) expect(outageOf({ headers: sent, appendedAt, deadline })).toBeDefined();
  }
  await harness.pipeline.restart('aggregator');
  await sleep(1_500);
  for (const round of rounds) {
    const contents = new Set(harness.decisionsOf(round).map(({ decision }) => decision.contentHash));
    expect(contents.size).toBe(1);
  }
}, 90_000);
