import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderId, Seconds, ZoneId } from '#schemas/brands';
import { decideRound } from '#policy/join/decide-round';
import { decisionContentHash, outcomesCodec } from '#schemas/codec';
import type { ShardOutcome } from '#schemas/domain';
import { PLAN_RECORD_BYTES, PlanRecord } from '#schemas/tensors';
import { headers, roundKey } from '#schemas/topics';
import { buildCourier, buildPolicy } from '../support/build-round';
import { startStack } from '../support/stack';
import { atBestOf } from '../support/until';
import { AggregatorHarness, inMs, reasonsOf, roundId, roundOf } from './aggregator-harness';
import { largeRound } from './large-round';

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start(startStack('aggregator'));
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

test('the last outcome closes a round, long before its deadline', async () => {
  const round = roundOf({ deadline: inMs(60_000) });
  expect(round.manifest.shardCount).toBeGreaterThan(1);
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes);
  const { decision, headers: sent } = await harness.decisionOf(round);
  expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1, unassigned: [] });
  expect(decision.content.assignments.map(({ orderIds }) => orderIds)).toEqual([['o0'], ['o1'], ['o2']]);
  expect(sent[headers.outage]).toBeUndefined();
  expect(Number(sent[headers.closedAt])).toBeLessThan(round.manifest.round.deadline);
  expect(sent[headers.host]).toBeTruthy();
}, 40_000);

test('outcomes may come before their manifest', async () => {
  const round = roundOf({ deadline: inMs(60_000) });
  await harness.publishOutcomes(round.outcomes);
  await harness.publishRound(round);
  const { decision } = await harness.decisionOf(round);
  expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
}, 40_000);

test('the deadline closes a round that lacks a shard, and the append time is before it', async () => {
  const round = roundOf({ deadline: inMs(4_000) });
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes.slice(1));
  const { decision, appendedAt } = await harness.decisionOf(round);
  expect(decision.content.closedBy).toBe('deadline');
  expect(decision.content.coverage).toBeLessThan(1);
  expect(decision.content.shards[0]).toEqual({ shardIndex: 0, status: 'missing', errorCode: null });
  expect(appendedAt).toBeLessThanOrEqual(round.manifest.round.deadline);
}, 40_000);

test('a round without couriers is decided at once, with a reason for each order', async () => {
  const round = roundOf({ deadline: inMs(60_000), couriers: [] });
  expect(round.manifest.shardCount).toBe(0);
  await harness.publishRound(round);
  const published = await harness.decisionOf(round);
  expect(published.decision.content).toMatchObject({ closedBy: 'complete', coverage: 1, assignments: [] });
  expect(new Set(Object.values(reasonsOf(published)))).toEqual(new Set(['no_feasible_courier']));
}, 40_000);

test('repeated rounds and outcomes give one decision', async () => {
  const round = roundOf({ deadline: inMs(60_000) });
  await harness.publishRound(round);
  await harness.publishRound(round);
  await harness.publishOutcomes([...round.outcomes, ...round.outcomes]);
  await harness.decisionOf(round);
  await harness.publishRound(round);
  const marker = roundOf({
    deadline: inMs(60_000),
    runId: round.manifest.round.runId,
    roundId: roundId('next'),
    sequence: 2n,
  });
  await harness.publishRound(marker);
  await harness.publishOutcomes(marker.outcomes);
  await harness.decisionOf(marker);
  expect(harness.decisionsOf(round)).toHaveLength(1);
}, 40_000);

test('invalid outcomes go to the dead letters and count as failed until a valid one comes', async () => {
  const round = roundOf({ deadline: inMs(6_000) });
  const [first, ...others] = round.outcomes as [(typeof round.outcomes)[number]];
  const wrong = { ...first, candidateCount: first.candidateCount + 1 };
  await harness.publishRound(round);
  await harness.publishOutcomes([wrong]);
  await harness.eventually(() => harness.deadLetters.some(({ key }) => key?.toString() === roundKey(first)));
  const letter = harness.deadLetters.find(({ key }) => key?.toString() === roundKey(first))!;
  expect(letter.value).toEqual(outcomesCodec.encode(wrong));
  expect(letter.headers[headers.deadLetterCode]).toBe('PAYLOAD_INVALID');
  await harness.publishOutcomes([first, ...others.slice(1)]);
  const { decision } = await harness.decisionOf(round);
  expect(decision.content.shards[0]).toMatchObject({ status: 'solved' });
  expect(decision.content.shards[1]).toMatchObject({ status: 'missing' });
}, 40_000);

test('a valid outcome after an invalid one is used, also where all others are there and both came early', async () => {
  for (const isEarly of [false, true]) {
    const round = roundOf({ deadline: inMs(20_000), roundId: roundId(`spoiled early ${isEarly}`) });
    const [first, ...others] = round.outcomes as [(typeof round.outcomes)[number]];
    const wrong = { ...first, candidateCount: first.candidateCount + 1 };
    const lettersOf = () => harness.deadLetters.filter(({ key }) => key?.toString() === roundKey(first));
    if (!isEarly) await harness.publishRound(round);
    await harness.publishOutcomes([...others, wrong]);
    if (isEarly) {
      await sleep(500);
      await harness.publishRound(round);
    }
    await harness.eventually(() => lettersOf().length > 0);
    await harness.publishOutcomes([first]);
    const { decision } = await harness.decisionOf(round);
    expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
    expect(lettersOf().map(({ value }) => value)).toEqual([outcomesCodec.encode(wrong)]);
    expect(lettersOf()[0]!.headers[headers.deadLetterTopic]).toBe(harness.topics.outcomes);
  }
}, 60_000);

test('an unreadable round or outcome goes to the dead letters with key and bytes unchanged', async () => {
  const garbage = Buffer.from('not avro');
  await harness.publish(harness.topics.rounds, 'k-round', garbage);
  await harness.publish(harness.topics.outcomes, 'k-outcome', garbage);
  const lettersOf = (key: string) => harness.deadLetters.filter((letter) => letter.key?.toString() === key);
  await harness.eventually(() => lettersOf('k-round').length > 0 && lettersOf('k-outcome').length > 0);
  for (const [key, topic] of [
    ['k-round', harness.topics.rounds],
    ['k-outcome', harness.topics.outcomes],
  ] as const) {
    const [letter] = lettersOf(key);
    expect(letter!.value).toEqual(garbage);
    expect(letter!.headers[headers.deadLetterTopic]).toBe(topic);
    expect(letter!.headers[headers.deadLetterReason]).toBeTruthy();
  }
}, 40_000);

test('the same ids with other content are dead-lettered; the first content is decided', async () => {
  const round = roundOf({ deadline: inMs(5_000) });
  const other = {
    ...round,
    manifest: { ...round.manifest, round: { ...round.manifest.round, sequence: 9n } },
  };
  await harness.publishRound(round);
  await harness.publishRound(other);
  const conflict = () =>
    harness.deadLetters.some(({ headers: h }) => h[headers.deadLetterCode] === 'ROUND_CONFLICT');
  await harness.eventually(conflict);
  await harness.publishOutcomes(round.outcomes);
  expect((await harness.decisionOf(round)).decision.sequence).toBe(1n);
  expect(harness.decisionsOf(round)).toHaveLength(1);
}, 40_000);

test('overlapping rounds of a zone are decided in their order', async () => {
  const older = roundOf({ deadline: inMs(60_000), sequence: 5n });
  const { runId } = older.manifest.round;
  const newer = roundOf({ deadline: inMs(60_000), sequence: 6n, runId, roundId: roundId('newer') });
  await harness.publishRound(older);
  await harness.publishRound(newer);
  await harness.publishOutcomes(newer.outcomes);
  await harness.publishOutcomes(older.outcomes);
  const [first, second] = [await harness.decisionOf(older), await harness.decisionOf(newer)];
  expect(first.decision.content.coverage).toBe(1);
  expect(second.decision.content.coverage).toBe(1);
  expect(Number(first.headers[headers.closedAt])).toBeLessThanOrEqual(
    Number(second.headers[headers.closedAt]),
  );
}, 40_000);

test('a round older than the last decided one of its zone is stale', async () => {
  const big = 2n ** 62n;
  const newer = roundOf({ deadline: inMs(60_000), sequence: big + 1n });
  const { runId } = newer.manifest.round;
  await harness.publishRound(newer);
  await harness.publishOutcomes(newer.outcomes);
  await harness.decisionOf(newer);
  const older = roundOf({ deadline: inMs(60_000), sequence: big, runId, roundId: roundId('older') });
  await harness.publishRound(older);
  const published = await harness.decisionOf(older);
  expect(published.decision.content.assignments).toEqual([]);
  expect(reasonsOf(published)).toEqual({ o0: 'stale', o1: 'stale', o2: 'stale' });
}, 40_000);

test('failed and late outcomes complete a round', async () => {
  const round = roundOf({ deadline: inMs(60_000) });
  const empty = { plans: Buffer.alloc(0), orderTimes: Buffer.alloc(0), rideFactors: Buffer.alloc(0) };
  await harness.publishRound(round);
  await harness.publishOutcomes(
    round.outcomes.map((outcome, i) =>
      i % 2 === 0
        ? { ...outcome, ...empty, status: 'failed' as const, errorCode: 'ENGINE_LOST' }
        : { ...outcome, ...empty, status: 'late' as const, errorCode: 'DEADLINE_EXCEEDED' },
    ),
  );
  const published = await harness.decisionOf(round);
  expect(published.decision.content).toMatchObject({ closedBy: 'complete', coverage: 0 });
  expect(
    Object.values(reasonsOf(published)).every((reason) => ['shard_late', 'engine_lost'].includes(reason)),
  ).toBe(true);
}, 40_000);

test('a plan of a courier whose vehicle does not drive makes its shard failed; the round is decided', async () => {
  const still = buildCourier('still', { vehicle: 'car' });
  const travel = {
    kind: 'speed' as const,
    metresPerHour: { walk: 3_600, bike: 0, scooter: 0, car: 0 },
    quantumSeconds: 1 as Seconds,
    known: true,
  };
  const couriers = [buildCourier('k'), still];
  const round = roundOf({ deadline: inMs(60_000), couriers, policy: buildPolicy({ travel }) });
  const [first, ...others] = round.outcomes as [ShardOutcome];
  const plans = Buffer.from(first.plans);
  for (let at = 0; at < plans.length; at += PLAN_RECORD_BYTES) {
    plans.writeUInt16LE(1, at + PlanRecord.courier);
    plans.writeBigInt64LE(-1n, at + PlanRecord.cost);
  }
  await harness.publishRound(round);
  await harness.publishOutcomes([{ ...first, plans }, ...others]);
  const { decision } = await harness.decisionOf(round);
  expect(decision.content.shards[0]).toMatchObject({ status: 'failed', errorCode: 'PAYLOAD_INVALID' });
  expect(decision.content.assignments.map(({ courierId }) => courierId)).not.toContain('still');
}, 40_000);

test('a manifest whose courier holds an unknown order is dead-lettered; the next round is decided', async () => {
  const good = roundOf({ deadline: inMs(60_000) });
  const { runId } = good.manifest.round;
  const couriers = [buildCourier('k', { held: [{ orderId: 'nobody' as OrderId, onBoard: true }] })];
  const bad = { ...good.manifest, round: { ...good.manifest.round, roundId: roundId('bad'), couriers } };
  await harness.publishRound({ manifest: bad, outcomes: [] });
  const letters = () =>
    harness.deadLetters.filter(({ headers: h }) => h[headers.deadLetterReason]?.includes('of round bad'));
  await harness.eventually(() => letters().length === 1);
  expect(letters()[0]!.headers[headers.deadLetterCode]).toBe('PAYLOAD_INVALID');
  expect(letters()[0]!.headers[headers.deadLetterReason]).toContain('couriers[0].held[0].orderId');
  await harness.publishRound(good);
  await harness.publishOutcomes(good.outcomes);
  expect((await harness.decisionOf(good)).decision).toMatchObject({ runId, content: { coverage: 1 } });
}, 40_000);

test('small rounds that are due while a large one is decided are in time, and so is the large one', async () => {
  const size = { places: 10, perPlace: 20, couriersPerBundle: 20 };
  const large = largeRound({ deadline: inMs(20_000) }, size);
  // 10 restaurants · (20 orders + 190 pairs) · 20 couriers
  expect(large.manifest.shardCandidateCounts.reduce((sum, count) => sum + count, 0)).toBe(42_000);
  await harness.publishRound(large);
  await harness.publishOutcomes(large.outcomes);
  await atBestOf(3, async (attempt) => {
    const small = [300, 400, 500, 600, 700].map((ms, i) =>
      roundOf({ deadline: inMs(ms * attempt), zoneId: `small-${i}` as ZoneId }),
    );
    await Promise.all(small.map((round) => harness.publishRound(round)));
    for (const round of small) {
      const { decision, appendedAt, headers: sent } = await harness.decisionOf(round);
      expect(appendedAt).toBeLessThanOrEqual(decision.deadline);
      expect(sent[headers.outage]).toBeUndefined();
    }
  });
  const second = await harness.decisionOf(large);
  expect(second.decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
  // The same as in one process.
  const outcomes = new Map(large.outcomes.map((outcome) => [outcome.shardIndex as number, outcome]));
  const content = decideRound(large.manifest, outcomes, 'complete');
  expect(second.decision.contentHash).toBe(decisionContentHash(content));
}, 60_000);
