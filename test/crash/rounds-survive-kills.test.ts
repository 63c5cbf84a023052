import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import type { OrderId, RoundId, RunId, Seconds, UnixMs, ZoneId } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import type { Decision, DispatchRound } from '#schemas/domain';
import { headers, topicsOf } from '#schemas/topics';
import { RoundhouseClient } from '../../client';
import { buildCourier, buildOrder, buildRound, buildStop } from '../support/build-round';

const roundCount = 200;
const everyMs = 150;
/** Long enough for a client to get over any of the restarts; every tenth round has no time for that. */
const deadlineMs = 40_000;
const shortDeadlineMs = 2_500;
const isShort = (index: number) => index % 10 === 9;
const zones = 4;

/** Twelve couriers and ten orders of two restaurants on a line; times unknown, so that the network runs. */
function roundNumber(index: number): DispatchRound {
  const couriers = Array.from({ length: 12 }, (_, i) =>
    buildCourier(`c${i}`, { position: { x: 150 * i, y: 0 }, vehicle: 'bike' }),
  );
  const orders = Array.from({ length: 10 }, (_, i) =>
    buildOrder(`o${i}`, {
      orderId: `o${i}` as OrderId,
      pickup: buildStop(`restaurant-${i % 2}`, 700 * (i % 2), 50),
      dropoff: buildStop(`home-${i}`, 200 * i, 400),
      promisedAt: (1_800 + 60 * ((index + i) % 7)) as Seconds,
      known: { ready: false, pickupWait: false, handover: false },
    }),
  );
  return buildRound({
    runId: 'kills' as RunId,
    roundId: `round-${index}` as RoundId,
    zoneId: `zone-${index % zones}` as ZoneId,
    sequence: BigInt(index + 1),
    deadline: (Date.now() + (isShort(index) ? shortDeadlineMs : deadlineMs)) as UnixMs,
    couriers,
    orders,
  });
}

interface Published {
  readonly decision: Decision;
  readonly appendedAt: number;
  readonly outage: string | undefined;
}

async function readDecisions(pipeline: Pipeline): Promise<Map<string, Published[]>> {
  const { logger } = createTelemetry({ service: 'test', logLevel: 'warn' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'test', logger });
  const byRound = new Map<string, Published[]>();
  await bus.readRange({
    topic: topicsOf(pipeline.topicPrefix).decisions,
    from: 'earliest',
    handle: (message) => {
      const decision = decisionsCodec.decode(message.value!);
      const outage = message.headers[headers.outage];
      const published = { decision, appendedAt: message.timestamp, outage };
      byRound.set(decision.roundId, [...(byRound.get(decision.roundId) ?? []), published]);
    },
  });
  await bus.close();
  return byRound;
}

/** Submits at a steady pace; resolves to the ids that were accepted. What is refused for good is no round. */
async function submitAll(client: RoundhouseClient): Promise<Set<string>> {
  const accepted = new Set<string>();
  const submissions: Promise<void>[] = [];
  for (let index = 0; index < roundCount; index++) {
    const round = roundNumber(index);
    const noted = client.submitRound(round).then(
      () => void accepted.add(round.roundId),
      () => undefined,
    );
    submissions.push(noted);
    await sleep(everyMs);
  }
  await Promise.all(submissions);
  return accepted;
}

describe('two hundred rounds while every part is killed once', () => {
  let pipeline: Pipeline;
  let accepted: Set<string>;
  let published: Map<string, Published[]>;

  beforeAll(async () => {
    pipeline = await startPipeline({ inheritedEnv: process.env, restarts: false });
    const client = new RoundhouseClient({ url: pipeline.ingestUrl, retryForMs: deadlineMs });
    const submitted = submitAll(client);
    for (const name of ['engine', 'worker', 'aggregator', 'ingest', 'redis', 'broker']) {
      await sleep(2_500);
      await pipeline.kill(name);
      if (name !== 'engine') await pipeline.restart(name);
    }
    accepted = await submitted;
    await decisionsAreThere();
  }, 300_000);

  afterAll(async () => {
    await pipeline?.stop();
  }, 60_000);

  /** Bounded: what has not come a minute after the last submission counts as lost. */
  async function decisionsAreThere(): Promise<void> {
    for (let waited = 0; waited < 60_000; waited += 1_000) {
      published = await readDecisions(pipeline);
      if ([...accepted].every((roundId) => published.has(roundId))) return;
      await sleep(1_000);
    }
  }

  test('nine of ten rounds are accepted in spite of it: all that had time for another attempt', () => {
    const refused = Array.from({ length: roundCount }, (_, index) => index).filter(
      (index) => !isShort(index) && !accepted.has(`round-${index}`),
    );
    expect(refused).toEqual([]);
    expect(accepted.size).toBeGreaterThanOrEqual(0.9 * roundCount);
  });

  test('every accepted round has a decision', () => {
    expect([...accepted].filter((roundId) => !published.has(roundId))).toEqual([]);
  });

  test('a round has one decision content, however often it was published', () => {
    const several = [...published].filter(
      ([, all]) => new Set(all.map(({ decision }) => decision.contentHash)).size !== 1,
    );
    expect(several.map(([roundId]) => roundId)).toEqual([]);
    const ids = [...published.values()].map(
      (all) => new Set(all.map(({ decision }) => decision.decisionId)).size,
    );
    expect(ids.every((count) => count === 1)).toBe(true);
  });

  test('a first publication is in time or marked as after an outage', () => {
    const late = [...published.values()]
      .map(([first]) => first!)
      .filter(({ decision, appendedAt, outage }) => appendedAt > decision.deadline && outage === undefined);
    expect(
      late.map(({ decision, appendedAt }) => `${decision.roundId} +${appendedAt - decision.deadline} ms`),
    ).toEqual([]);
  });

  test('the engine came back by itself', async () => {
    expect(pipeline.enginePids()).toHaveLength(1);
    const client = new RoundhouseClient({ url: pipeline.ingestUrl, retryForMs: 10_000 });
    const round = { ...roundNumber(roundCount), deadline: (Date.now() + 5_000) as UnixMs };
    const { decision } = await client.dispatch(round);
    expect(decision.content.coverage).toBe(1);
  });
});
