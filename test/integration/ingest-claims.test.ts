import { pino } from 'pino';
import { connectBus, topicSpecs } from '#lib/bus/kafka';
import type { BusProducer } from '#lib/bus/port';
import { loadConfig, topicSettings } from '#lib/config';
import { closeRedis, createRedis, waitForRedis } from '#lib/redis';
import { createTelemetry } from '#lib/telemetry';
import { TravelMatrices } from '#lib/travel-matrices';
import { defaultRoundLimits } from '#policy/validation/index';
import { topicsOf } from '#schemas/topics';
import { RoundCutter } from '../../services/ingest/cut/round-cutter';
import { ingestEvents } from '../../services/ingest/events';
import { LeadNeed } from '../../services/ingest/lead/lead-need';
import { RoundIntake } from '../../services/ingest/round-intake';
import { failFast, RoundClaims } from '../../services/ingest/store/round-claims';
import { startStack } from '../support/stack';
import { roundBody } from './ingest-harness';

const stack = startStack('ingest-claims');
const topics = topicsOf(stack.topicPrefix);
const logger = pino({ level: 'silent' });
const redis = createRedis({ url: stack.redisUrl, name: 'test', logger, redis: failFast });
const bus = connectBus({ brokers: stack.brokers, clientId: 'claims-test', logger });
let kafka: BusProducer;
beforeAll(async () => {
  await waitForRedis(redis, { url: stack.redisUrl, timeoutMs: 30_000, logger });
  await bus.ensureTopics(topicSpecs(topics, loadConfig({}, topicSettings)));
  kafka = await bus.producer();
}, 60_000);
afterAll(async () => {
  await bus.close();
  await closeRedis(redis);
});

const models = {
  resolve: () => ({
    label: 'stable' as const,
    models: [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }],
  }),
};

/** What one ingest process has for itself. `lateMs`: so far its clock is ahead where it asks whether there is time. */
function ingest() {
  const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  const state = { lateMs: 0, beforeSend: () => Promise.resolve(), afterSend: () => {} };
  const producer: BusProducer = {
    ...{ close: () => Promise.resolve() },
    send: async (messages, options) => {
      await state.beforeSend();
      await kafka.send(messages, options);
      state.afterSend();
    },
  };
  const intake = new RoundIntake({
    ...{ producer, topics, models, limits: defaultRoundLimits, cut: {}, maxMessageBytes: 1_000_000 },
    claims: new RoundClaims(redis, stack.topicPrefix, 60_000),
    cutter: new RoundCutter('no such folder', new TravelMatrices('no such folder'), 200_000, false),
    events: ingestEvents(telemetry),
    tracer: telemetry.tracer,
    lead: new LeadNeed(1, () => Date.now() + state.lateMs),
    owe: () => undefined,
  });
  const submit = (body: unknown) => intake.submit({ edge: 'http', body });
  return { state, submit };
}

const hourMs = 3_600_000;
const keyOf = (roundId: string) => `${stack.topicPrefix}ingest:round:default\u001frun\u001f${roundId}`;

test('a resend that comes too late leaves the claim of an attempt whose shards are on Kafka', async () => {
  const { state, submit } = ingest();
  const body = roundBody('sent');
  state.afterSend = () => (state.lateMs = hourMs);
  // The shards are sent, then there is no time for the manifest.
  await expect(submit(body)).rejects.toMatchObject({ code: 'INGEST_BUSY' });
  // There is none for the shards now: this attempt sends nothing, but the one before it did.
  await expect(submit(body)).rejects.toMatchObject({ code: 'INGEST_BUSY' });
  state.lateMs = 0;
  await expect(submit(roundBody('sent', { couriers: [] }))).rejects.toMatchObject({ code: 'ROUND_CONFLICT' });
  state.afterSend = () => {};
  expect(await submit(body)).toMatchObject({ shards: 1, again: false });
});

test('a resend elsewhere that comes too late leaves the claim of an attempt that is sending', async () => {
  const [a, b] = [ingest(), ingest()];
  const body = roundBody('sending');
  let open = () => {};
  const isSending = new Promise<void>((resolve) => {
    a.state.beforeSend = () => new Promise<void>((go) => resolve(void (open = go)));
  });
  const first = a.submit(body);
  await isSending;
  a.state.beforeSend = () => Promise.resolve();
  b.state.lateMs = hourMs;
  await expect(b.submit(body)).rejects.toMatchObject({ code: 'INGEST_BUSY' });
  b.state.lateMs = 0;
  const other = roundBody('sending', { couriers: [] });
  await expect(b.submit(other)).rejects.toMatchObject({ code: 'ROUND_CONFLICT' });
  open();
  expect(await first).toMatchObject({ again: false });
  expect(await redis.hmget(keyOf('sending'), 'state', 'shards')).toEqual(['accepted', '1']);
  expect(await redis.pttl(keyOf('sending'))).toBeGreaterThan(0);
  expect(await b.submit(body)).toMatchObject({ again: true });
});

test('an attempt that is refused before it sends leaves the round to other content', async () => {
  const { state, submit } = ingest();
  state.lateMs = hourMs;
  await expect(submit(roundBody('free'))).rejects.toMatchObject({ code: 'INGEST_BUSY' });
  expect(await redis.exists(keyOf('free'))).toBe(0);
  state.lateMs = 0;
  expect(await submit(roundBody('free', { couriers: [] }))).toMatchObject({ again: false });
});
