import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import type { OrderId, RoundId, RunId, Seconds, UnixMs, ZoneId } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import type { Decision, DispatchRound } from '#schemas/domain';
import { outageOf } from '#schemas/outage-mark';
import { topicsOf } from '#schemas/topics';
import { RoundhouseClient } from '../../client';
import { buildCourier, buildOrder, buildRound, buildStop } from '../support/build-round';
import { stopProcess } from '../support/stop-process';
import { pidOf } from '../support/running-process';

const roundCount = 200;
const everyMs = 150;
/** Long enough for a client to get over any of the restarts; every tenth round has no time for that. */
const deadlineMs = 40_000;
const shortDeadlineMs = 2_500;
const isShort = (index: number) => index % 10 === 9;
const zones = 4;
/** Rounds that are accepted and undecided, by a part that stands still, when a part is killed. */
const openPerKill = 4;
/** So long after a restart, clients and consumers may still be coming back. */
const aftermathMs = 10_000;
const parts = ['engine', 'worker', 'aggregator', 'ingest', 'redis', 'broker'];

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
  try {
    await bus.readRange({
      topic: topicsOf(pipeline.topicPrefix).decisions,
      from: 'earliest',
      handle: (message) => {
        const decision = decisionsCodec.decode(message.value!);
        const appendedAt = message.timestamp;
        const outage = outageOf({ headers: message.headers, appendedAt, deadline: decision.deadline });
        const published = { decision, appendedAt, outage };
        byRound.set(decision.roundId, [...(byRound.get(decision.roundId) ?? []), published]);
      },
    });
  } finally {
    await bus.close();
  }
  return byRound;
}

/** Submits rounds and keeps when; what is refused for good is no round. */
class Submissions {
  readonly accepted = new Set<string>();
  readonly submittedAt = new Map<string, number>();
  private readonly all: Promise<void>[] = [];

  constructor(private readonly client: RoundhouseClient) {}

  submit(index: number): Promise<void> {
    const round = roundNumber(index);
    this.submittedAt.set(round.roundId, Date.now());
    const noted = this.client.submitRound(round).then(
      () => void this.accepted.add(round.roundId),
      () => undefined,
    );
    this.all.push(noted);
    return noted;
  }

  async steadily(): Promise<void> {
    for (let index = 0; index < roundCount; index++) {
      void this.submit(index);
      await sleep(everyMs);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.all);
  }
}

interface Kill {
  readonly name: string;
  readonly at: number;
  /** When it, or what took its place, was there again. */
  readonly backAt: number;
  readonly openRounds: readonly string[];
}

/** Kills a part while rounds are open, which a worker that stands still sees to: nobody solves, nobody replaces. */
async function killWithOpenRounds(
  pipeline: Pipeline,
  submissions: Submissions,
  name: string,
  firstIndex: number,
): Promise<Kill> {
  const engines = pipeline.enginePids();
  await stopProcess(pidOf(pipeline, 'worker'));
  const indices = Array.from({ length: openPerKill }, (_, i) => firstIndex + i);
  await Promise.all(indices.map((index) => submissions.submit(index)));
  const openRounds = indices.map((index) => `round-${index}`).filter((id) => submissions.accepted.has(id));
  const at = Date.now();
  await pipeline.kill(name);
  if (name !== 'worker') pipeline.signal('worker', 'SIGCONT');
  if (name === 'engine') await newEngine(pipeline, engines);
  else await pipeline.restart(name);
  return { name, at, backAt: Date.now(), openRounds };
}

async function newEngine(pipeline: Pipeline, before: readonly number[]): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!pipeline.enginePids().some((pid) => !before.includes(pid))) {
    if (Date.now() > giveUpAt) throw new Error('no new engine in 60 s');
    await sleep(50);
  }
}

/** A round of its own zone, until one is solved whole. */
async function solvesWholeRounds(client: RoundhouseClient, firstIndex: number): Promise<boolean> {
  for (let index = firstIndex; index < firstIndex + 15; index++) {
    const round = {
      ...roundNumber(index),
      zoneId: 'after' as ZoneId,
      deadline: (Date.now() + 4_000) as UnixMs,
    };
    const { decision } = await client.dispatch(round);
    if (decision.content.coverage === 1) return true;
  }
  return false;
}

describe('two hundred rounds while every part is killed once', () => {
  let pipeline: Pipeline;
  let accepted: Set<string>;
  let published: Map<string, Published[]>;

  let kills: Kill[];
  let submissions: Submissions;
  let engineCameBack: boolean;

  beforeAll(async () => {
    pipeline = await startPipeline({ inheritedEnv: process.env, restarts: false });
    const client = new RoundhouseClient({ url: pipeline.ingestUrl, retryForMs: deadlineMs });
    submissions = new Submissions(client);
    accepted = submissions.accepted;
    const steady = submissions.steadily();
    kills = [];
    for (const [i, name] of parts.entries()) {
      await sleep(2_500);
      kills.push(await killWithOpenRounds(pipeline, submissions, name, 1_000 + 10 * i));
      if (name === 'engine') engineCameBack = await solvesWholeRounds(client, 2_000);
    }
    await steady;
    await submissions.settled();
    await decisionsAreThere();
  }, 400_000);

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
    const refused = [...submissions.submittedAt.keys()].filter((roundId) => !accepted.has(roundId));
    expect(refused.filter((roundId) => !isShort(Number(roundId.slice('round-'.length))))).toEqual([]);
    expect(accepted.size).toBeGreaterThanOrEqual(0.9 * submissions.submittedAt.size);
  });

  test('every kill hit open rounds, and they were decided after it', () => {
    expect(kills.map(({ name, openRounds }) => [name, openRounds.length])).toEqual(
      parts.map((name) => [name, openPerKill]),
    );
    const before = kills.flatMap(({ name, at, openRounds }) =>
      openRounds.filter((id) => (published.get(id)?.[0]?.appendedAt ?? 0) < at).map((id) => `${name}: ${id}`),
    );
    expect(before).toEqual([]);
  });

  test('most rounds are solved whole', () => {
    const whole = [...accepted].filter((id) => published.get(id)?.[0]?.decision.content.coverage === 1);
    expect(whole.length).toBeGreaterThanOrEqual(0.75 * accepted.size);
  });

  test('only rounds that met a kill are marked as after an outage', () => {
    const marked = [...published].filter(([, [first]]) => first!.outage !== undefined);
    const strange = marked.filter(([roundId, [first]]) => {
      const from = submissions.submittedAt.get(roundId) ?? 0;
      return !kills.some(({ at, backAt }) => from <= backAt + aftermathMs && first!.appendedAt >= at);
    });
    expect(strange.map(([roundId, [first]]) => `${roundId}: ${first!.outage}`)).toEqual([]);
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

  test('the engine came back by itself, before its worker was killed', () => {
    expect(engineCameBack).toBe(true);
  });
});
