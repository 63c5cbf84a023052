import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { createTelemetry } from '#lib/telemetry';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import type { OrderId, RoundId, RunId, Seconds, UnixMs, ZoneId } from '#schemas/brands';
import type { Decision } from '#schemas/domain';
import { topicsOf } from '#schemas/topics';
import { RoundhouseClient } from '../../client';
import { buildCourier, buildOrder, buildRound, buildStop } from '../support/build-round';
import { anyPorts, ReadyProcess } from '../support/ready-process';
import { until } from '../support/until';
import { Installation, installHere, makeNext, topics } from './installation';

/**
 * A rolling upgrade as docs/deployment.md describes it, and its way back, under load: services of this version beside those of
 * a next one, whose schemas have a field more on every topic. Nothing is lost, decided twice or late.
 *
 * UPGRADE_FROM=DIR takes the old version from another built checkout instead (of an older commit, say).
 */
const everyMs = 100;
/** Long enough for a hand-over on a busy machine: what is tested is that nothing gets lost, not how fast it is. */
const deadlineMs = 45_000;
const zones = 16;
const services = ['aggregator', 'inference-worker', 'ingest'] as const;
type Service = (typeof services)[number];
type Fleet = Record<Service, ReadyProcess>;

function roundNumber(index: number): Parameters<RoundhouseClient['submitRound']>[0] {
  return buildRound({
    runId: 'upgrade' as RunId,
    roundId: `round-${index}` as RoundId,
    // Two in a row, so that either version accepts rounds of every zone, and so of every partition.
    zoneId: `zone-${(index >> 1) % zones}` as ZoneId,
    sequence: BigInt(index + 1),
    deadline: (Date.now() + deadlineMs) as UnixMs,
    couriers: Array.from({ length: 8 }, (_, i) => buildCourier(`c${i}`, { position: { x: 150 * i, y: 0 } })),
    orders: Array.from({ length: 8 }, (_, i) =>
      buildOrder(`o${i}`, {
        orderId: `o${i}` as OrderId,
        pickup: buildStop(`restaurant-${i % 2}`, 700 * (i % 2), 50),
        dropoff: buildStop(`home-${i}`, 200 * i, 400),
        promisedAt: (1_800 + 60 * (index % 7)) as Seconds,
      }),
    ),
  });
}

/** Rounds one after the other to the ingests that are there, in turns. */
class Load {
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  targets: RoundhouseClient[] = [];
  private next = 0;
  private readonly all: Promise<unknown>[] = [];

  async send(count: number): Promise<void> {
    for (const end = this.next + count; this.next < end; this.next++) {
      const round = roundNumber(this.next);
      const submission = this.targets[this.next % this.targets.length]!.submitRound(round);
      const noted = submission.then(
        () => this.accepted.push(round.roundId),
        (error: Error) => this.refused.push(`${round.roundId}: ${error.message}`),
      );
      this.all.push(noted);
      await sleep(everyMs);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.all);
  }
}

/** What stood on a topic: the writer's fingerprint and the message. */
interface Written {
  readonly writer: string;
  readonly message: BusMessage;
}

describe('an upgrade and its way back under load, one service after the other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-upgrade-'));
  const load = new Load();
  const ends: [name: string, code: number | null][] = [];
  const running = new Set<ReadyProcess>();
  const written = new Map<string, Written[]>();
  let servers: Pipeline;
  let old: Installation;
  let next: Installation;

  async function startFleet(installation: Installation, version: string): Promise<Fleet> {
    const env = {
      ...process.env,
      ...anyPorts,
      KAFKA_BROKERS: servers.kafkaBrokers,
      REDIS_URL: servers.redisUrl,
      ROUNDHOUSE_STATE_DIR: join(folder, `state-${version}`),
    };
    const all = services.map(async (service) => {
      const name = `${service} ${version}`;
      const started = await ReadyProcess.start({
        name,
        command: process.execPath,
        args: [installation.mainOf(service)],
        cwd: installation.root,
        env,
        logFile: join(folder, `${name}.log`),
      });
      running.add(started);
      return [service, started] as const;
    });
    return Object.fromEntries(await Promise.all(all)) as Fleet;
  }

  const clientOf = (fleet: Fleet): RoundhouseClient =>
    new RoundhouseClient({ url: `http://127.0.0.1:${fleet.ingest.httpPort}`, retryForMs: deadlineMs });

  /** From one version to the other: both side by side, then the one that goes, in the order of the data. */
  async function roll(from: Fleet, to: Fleet): Promise<void> {
    load.targets = [clientOf(from), clientOf(to)];
    await load.send(48);
    for (const service of services) {
      // As a load balancer: an ingest that is to stop gets nothing more.
      if (service === 'ingest') load.targets = [clientOf(to)];
      const [code] = await Promise.all([from[service].stop(), load.send(8)]);
      ends.push([from[service].name, code]);
    }
    await load.send(8);
  }

  async function readTopics(): Promise<void> {
    const { logger } = createTelemetry({ service: 'test', logLevel: 'warn' });
    const bus = connectBus({ brokers: servers.kafkaBrokers.split(','), clientId: 'test', logger });
    const names = topicsOf(servers.topicPrefix);
    for (const topic of [...topics, 'deadLetters'] as const) {
      const found: Written[] = [];
      written.set(topic, found);
      await bus.readRange({
        topic: names[topic],
        from: 'earliest',
        handle: (message) => {
          found.push({ writer: message.value!.subarray(2, 10).toString('hex'), message });
        },
      });
    }
    await bus.close();
  }

  beforeAll(async () => {
    const none = { ingest: 0, worker: 0, aggregator: 0 };
    servers = await startPipeline({ inheritedEnv: process.env, counts: none });
    const given = process.env['UPGRADE_FROM'];
    old = given === undefined ? installHere(join(folder, 'old')) : new Installation(given);
    next = installHere(join(folder, 'next'));
    makeNext(next, old);
    const oldFleet = await startFleet(old, 'old');
    load.targets = [clientOf(oldFleet)];
    await load.send(8);
    old.learn(next, 'next');
    const nextFleet = await startFleet(next, 'next');
    await roll(oldFleet, nextFleet);
    if (process.env['TEST_FULL']) await roll(nextFleet, await startFleet(old, 'old again'));
    await load.settled();
    const haveAll = async (): Promise<boolean> => {
      await readTopics();
      return load.accepted.every((roundId) => decisions().has(roundId));
    };
    await until(haveAll, 'a decision of every accepted round', deadlineMs + 30_000);
  }, 300_000);

  afterAll(async () => {
    for (const process of running) process.kill();
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** By round: what was published, first things first. */
  function decisions(): Map<string, (Written & { readonly decision: Decision })[]> {
    const codec = next.codec<Decision>('decisions');
    const byRound = new Map<string, (Written & { readonly decision: Decision })[]>();
    for (const one of written.get('decisions')!) {
      const decision = codec.decode(one.message.value!);
      byRound.set(decision.roundId, [...(byRound.get(decision.roundId) ?? []), { ...one, decision }]);
    }
    return byRound;
  }

  /** Which version wrote the one and which the other, as `old, next`; the first record of a round counts. */
  function pairs(topic: 'rounds' | 'outcomes'): Set<string> {
    const codec = next.codec<{ readonly roundId?: string; readonly round: { readonly roundId: string } }>(
      topic,
    );
    const [ofTopic, ofDecisions] = [codec.fingerprint, next.codec('decisions').fingerprint];
    const version = (isNext: boolean): string => (isNext ? 'next' : 'old');
    const decided = decisions();
    return new Set(
      written.get(topic)!.map(({ writer, message }) => {
        const { roundId, round } = codec.decode(message.value!);
        const [first] = decided.get(roundId ?? round.roundId) ?? [];
        return `${version(writer === ofTopic)}, ${version(first!.writer === ofDecisions)}`;
      }),
    );
  }
  const allPairs = ['next, next', 'next, old', 'old, next', 'old, old'];

  test('every round is accepted, and every service that went ended in order', () => {
    expect(load.refused).toEqual([]);
    expect(ends.map(([name, code]) => `${name}: ${code}`)).toEqual(ends.map(([name]) => `${name}: 0`));
  });

  test('each version decided rounds that the other one accepted, with outcomes of the other one', () => {
    expect([...pairs('rounds')].sort()).toEqual(allPairs);
    expect([...pairs('outcomes')].sort()).toEqual(allPairs);
  });

  test('no message was unreadable to anybody', () => {
    expect(written.get('deadLetters')!.map(({ message }) => message.headers)).toEqual([]);
  });

  test('every round has one decision, in time and of all its candidates', () => {
    const byRound = decisions();
    const faults = load.accepted.flatMap((roundId) => {
      const all = byRound.get(roundId) ?? [];
      const contents = new Set(all.map(({ decision }) => decision.contentHash));
      const [first] = all;
      if (first === undefined) return [`${roundId}: none`];
      const lateMs = first.message.timestamp - first.decision.deadline;
      return [
        ...(contents.size === 1 ? [] : [`${roundId}: ${contents.size} contents`]),
        ...(lateMs <= 0 ? [] : [`${roundId}: ${lateMs} ms late`]),
        ...(first.decision.content.coverage === 1 ? [] : [`${roundId}: ${first.decision.content.coverage}`]),
      ];
    });
    expect(faults).toEqual([]);
  });
});
