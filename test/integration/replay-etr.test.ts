import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { cutRound } from '#policy/sharding/index';
import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import { loadModelRepository } from '#lib/model-repository';
import type { Seconds } from '#schemas/brands';
import { observationsCodec, roundsCodec, decisionsCodec, outcomesCodec } from '#schemas/codec';
import type { Observation } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import { topicsOf } from '#schemas/topics';
import { etrCommand } from '#services/replay/etr/etr-command';
import { parseEtr } from '#services/replay/etr/options';
import { networkReady } from '#services/replay/etr/predictors';
import { parseRecord } from '#services/replay/record/options';
import { recordCommand } from '#services/replay/record/record-command';
import { readObservations } from '#services/replay/recording/recorded-observations';
import { startOwnEngine } from '#services/replay/run/engine-process';
import { predictTimes } from '../support/predict-times';
import { recorded, smallCut, smallRound, writeRecording } from '../support/small-recording';
import { startStack } from '../support/stack';
import { topicSettings } from './aggregator-harness';

jest.setTimeout(120_000);

const modelsDir = projectPath('models');
let folder: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-etr-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const tell = (line: string) => void lines.push(line);
const { signal } = new AbortController();
const place = (env: Record<string, string | undefined> = {}) => ({
  env: { ...process.env, ROUNDHOUSE_MODELS_DIR: modelsDir, ...env },
  ...{ signal, tell, tellError: tell },
});

/** Orders of a busy hour whose readiness is not known. */
function unknownRound(number: number) {
  const round = smallRound(number, { asOf: 1_000 as Seconds });
  const orders = round.orders.map((order, i) => ({
    ...order,
    placedAt: (700 + 100 * i) as Seconds,
    known: { ...order.known, ready: false },
    features: {
      ...order.features,
      ...{ merchantMeanPrepMinutes: 12 + i, merchantStdPrepMinutes: 4, merchantOpenOrders: i, itemCount: 2 },
    },
  }));
  const context = { secondsOfDay: 68_400 as Seconds, dayOfWeek: 5, rainPerMille: 300, trafficPerMille: 400 };
  return { ...round, orders, policy: { ...round.policy, context } };
}

test("the network's rows are those that the backend builds", async () => {
  const model = loadModelRepository(modelsDir)
    .refsOf('stable')
    .find(({ name }) => name === 'delivery_time')!;
  const round = unknownRound(1);
  const engine = await startOwnEngine({ ...place(), modelsDir, models: [model] });
  try {
    const whole = { ...recorded(smallRound(1)) };
    const asked = { ...whole, manifest: { ...whole.manifest, round } };
    const found = await networkReady(engine, model)(asked, round.orders);
    const file = join(modelsDir, 'delivery_time', model.version, 'model.onnx');
    const costs = loadModelRepository(modelsDir).refsOf('stable');
    for (const quantile of ['p50', 'p90'] as const) {
      const policy = { ...round.policy, quantile };
      const cut = cutRound({ ...round, policy }, costs, { candidatesPerShard: 500 });
      const { orders } = predictTimes(cut.shards[0]!, file);
      // The backend's times count from asOf, predictions from placement.
      orders.forEach(({ readyAt }, row) => {
        const order = round.orders[row]!;
        expect(found.get(order.orderId)![quantile]).toBe(readyAt + round.asOf - order.placedAt);
      });
    }
    expect(await networkReady(engine, model)(asked, [])).toEqual(new Map());
  } finally {
    await engine.stop();
  }
});

test('both quantiles of a recording, by the stable network', async () => {
  const before = { ...recorded(smallRound(1)) };
  const round = unknownRound(1);
  const ready = round.orders.map((order) => ({
    ...order,
    ...{ readyAt: (order.placedAt + 900) as Seconds, known: { ...order.known, ready: true } },
  }));
  const of = (one: typeof round) => ({
    ...before,
    manifest: { ...before.manifest, round: one },
    outcomes: [],
  });
  writeRecording(join(folder, 'rec'), [of(round), of({ ...round, orders: ready })]);
  const argv = [join(folder, 'rec'), '--predictions', 'network', '--models', 'stable', '--json'];
  expect(await etrCommand(parseEtr(argv), place())).toBe(0);
  const { counts, groups } = JSON.parse(lines.at(-1)!) as {
    counts: object;
    groups: { quantity: string; by: string; figures: { count: number; within90: number | null } }[];
  };
  expect(counts).toMatchObject({ predicted: 3, neverReady: 0, withoutPrediction: 0 });
  const all = groups.find(({ quantity, by }) => quantity === 'preparation' && by === 'all')!;
  expect(all.figures.count).toBe(3);
  expect(all.figures.within90).not.toBeNull();
});

describe('on Kafka', () => {
  let bus: Bus;
  let stack: ReturnType<typeof startStack>;
  beforeEach(async () => {
    stack = startStack('replay-etr');
    bus = connectBus({ brokers: stack.brokers, clientId: 'replay-etr', logger: pino({ level: 'silent' }) });
    await bus.ensureTopics(topicSpecs(topicsOf(stack.topicPrefix), topicSettings));
  });
  afterEach(() => bus.close());

  const one = recorded(smallRound(1));
  const { tenantId, runId, zoneId, orders } = one.manifest.round;
  const observation = (kind: Observation['kind'], at: number): Observation => ({
    ...{
      tenantId,
      runId,
      zoneId,
      orderId: orders[0]!.orderId,
      courierId: 'k0' as never,
      kind,
      at: at as Seconds,
    },
  });

  async function publish(extra: readonly Buffer[]): Promise<void> {
    const topics = topicsOf(stack.topicPrefix);
    const producer = await bus.producer();
    const { manifest, outcomes, decision } = one;
    const happened = [observation('picked_up', 500), observation('dropped_off', 900)];
    await producer.send([
      ...outcomes.map(({ outcome }) => ({
        topic: topics.outcomes,
        key: 'k',
        value: outcomesCodec.encode(outcome),
      })),
      { topic: topics.rounds, key: 'k', value: roundsCodec.encode(manifest) },
      { topic: topics.decisions, key: 'k', value: decisionsCodec.encode(decision!.decision) },
      ...[...happened.map((each) => observationsCodec.encode(each)), ...extra].map((value) => ({
        ...{ topic: topics.observations, key: 'k', value },
      })),
    ]);
    // A range up to now has nothing of this very millisecond.
    const published = Date.now();
    while (Date.now() <= published) await new Promise(setImmediate);
  }
  const cut = { ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: String(smallCut.candidatesPerShard) };
  const record = (...argv: string[]) =>
    recordCommand(
      parseRecord(['--out', join(folder, 'rec'), '--from', '5m', ...argv]),
      place({ ...stack.env, ...cut }),
    );
  const kept = () => [...readObservations(join(folder, 'rec'))].map(({ observation: found }) => found);

  test('what happened is recorded, hidden as the rounds are, and compared with the plans', async () => {
    await publish([]);
    const rules = join(folder, 'rules.json');
    const fields = { orderId: 'hash', courierId: 'hash' };
    writeFileSync(rules, JSON.stringify({ salt: 'sixteen letters.', fields }));
    expect(await record('--personal', rules)).toBe(0);
    expect(lines.at(-1)).toContain('1 rounds, 0 of them not whole, 2 observations, 0 messages left out');
    expect(kept().map(({ kind, at }) => [kind, at])).toEqual([
      ['picked_up', 500],
      ['dropped_off', 900],
    ]);
    expect(kept()[0]!.orderId).toMatch(/^[0-9a-f]{24}$/);
    expect(kept()[0]!.courierId).toMatch(/^[0-9a-f]{24}$/);
    // The hashes are those of the rounds: the order is found.
    expect(await etrCommand(parseEtr([join(folder, 'rec'), '--least', '1']), place())).toBe(0);
    expect(lines.at(-1)).toContain('3 orders finally assigned, nothing observed of 2');
  });

  test('an observation that is none is told of', async () => {
    await publish([Buffer.from('nothing')]);
    expect(await record()).toBe(1);
    expect(lines.join('\n')).toMatch(/observations, partition \d+, offset \d+ is left out: not in Avro/);
    expect(kept()).toHaveLength(2);
  });
});
