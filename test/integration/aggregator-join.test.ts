import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connectBus, topicSpecs } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { createRedis, type Redis } from '#lib/redis';
import { createTelemetry } from '#lib/telemetry';
import { OutcomeHandler } from '#services/aggregator/consume/outcome-handler';
import { aggregatorEvents } from '#services/aggregator/events';
import { RoundBook } from '#services/aggregator/join/round-book';
import { JoinStore } from '#services/aggregator/store/join-store';
import { rebuildJoin, recallDecisions } from '#services/aggregator/store/rebuild-join';
import { outcomesCodec } from '#schemas/codec';
import { roundKey, topicsOf } from '#schemas/topics';
import { startStack } from '../support/stack';
import { until } from '../support/until';
import { inMemory, inMs, roundOf, topicSettings } from './aggregator-harness';

const stack = startStack('aggregator-join');
const logger = pino({ level: 'warn' });
const events = aggregatorEvents(createTelemetry({ service: 'test', logLevel: 'silent' }));
const clients: Redis[] = [];

async function connected(): Promise<Redis> {
  const client = createRedis({ url: stack.redisUrl, name: 'join-test', logger });
  clients.push(client);
  await client.connect();
  return client;
}
const storeOn = (client: Redis) => new JoinStore(client, stack.topicPrefix, 60_000);
afterAll(() => clients.forEach((client) => client.disconnect()));

test('an outcome that comes to an instance which no longer owns the round is told to the others', async () => {
  const round = roundOf({ deadline: inMs(60_000) });
  const [client, subscriber] = [await connected(), await connected()];
  const store = storeOn(client);
  const told: string[] = [];
  subscriber.on('message', (_channel, key: string) => told.push(key));
  await subscriber.subscribe(store.keys.channel());
  const handle = async (isOwned: boolean, index: number) => {
    const book = new RoundBook();
    const open = inMemory(round, isOwned);
    book.add(open);
    const handler = new OutcomeHandler({
      book,
      store,
      events,
      closer: { outcomeAdded: () => undefined } as never,
      deadLetters: {} as never,
    });
    const value = outcomesCodec.encode(round.outcomes[index]!);
    const lease = { topic: '', partition: 0, isOwned: () => true };
    await handler.handle({ value } as BusMessage, lease);
  };
  await handle(true, 0);
  await handle(false, 1);
  // Notices come in the order in which they were given: one of the first would be here before that of the second.
  await until(() => told.length > 0, 'a notice');
  expect(told).toEqual([roundKey(round.manifest.round)]);
  expect(await store.outcomesFrom(roundKey(round.manifest.round), 0)).toHaveLength(2);
}, 30_000);

test('Redis loses its memory after the claim: another instance finds the claimed decision, not an open round', async () => {
  const topics = topicsOf(stack.topicPrefix);
  const bus = connectBus({ brokers: stack.brokers, clientId: 'join-test', logger });
  try {
    await bus.ensureTopics(topicSpecs(topics, topicSettings));
    const client = await connected();
    const [first, second] = [storeOn(client), storeOn(await connected())];
    const book = new RoundBook();
    const horizonMs = 60_000;
    const parts = { bus, topics, store: first, book, events, horizonMs, scheduleBackup: () => undefined };
    first.rebuild = () => rebuildJoin(parts);
    first.recall = () => recallDecisions(parts);
    const claimed = inMemory(roundOf({ deadline: inMs(60_000) }));
    const open = inMemory(roundOf({ deadline: inMs(60_000) }));
    for (const round of [claimed, open]) {
      book.add(round);
      await first.open(round.toStore());
    }
    const decision = Buffer.from('the decision');
    await first.close(claimed.key, claimed.round, decision, false);
    claimed.decision = decision;
    await client.del(...(await client.keys(`${stack.topicPrefix}*`)));
    // Any command of the first instance finds that out and puts back what it has.
    await first.outcomesFrom(open.key, 0);
    expect(await second.open(claimed.toStore())).toEqual({ state: 'decided', decision });
    const other = Buffer.from('another decision');
    expect(await second.close(claimed.key, claimed.round, other, false)).toEqual({
      state: 'decided',
      decision,
    });
    expect(await second.open(open.toStore())).toMatchObject({ state: 'open' });
  } finally {
    await bus.close();
  }
}, 60_000);

// Guards against a round that is lost because its answer was that of another command.
test.each([
  ['closed', [Buffer.from('closed')]],
  // An outcome's: a round's has the decision with it.
  ['decided', [Buffer.from('decided')]],
  ['OK', Buffer.from('OK')],
  ['null', null],
  ['1', 1],
])(
  'the answer %s of another command is not believed: a new connection, and the command again',
  async (text, answer) => {
    const client = await connected();
    const store = storeOn(client);
    await store.ready();
    const refused: string[] = [];
    store.refused = (reason) => refused.push(reason);
    const scripts = client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const real = scripts['rhOpenRoundBuffer']!.bind(client);
    scripts['rhOpenRoundBuffer'] = async (...args) => {
      scripts['rhOpenRoundBuffer'] = real;
      await real(...args);
      return answer;
    };
    let reconnected = 0;
    client.on('reconnecting', () => (reconnected += 1));
    const round = inMemory(roundOf({ deadline: inMs(60_000) }));
    expect(await store.open(round.toStore())).toEqual({
      state: 'open',
      outcomes: [],
      isStale: false,
    });
    expect(refused).toEqual([`answered rhOpenRound with ${text}, as another command`]);
    expect(reconnected).toBe(1);
  },
  30_000,
);

test('the first close after a loss waits for what was decided lately, a round that comes for the whole history', async () => {
  const store = storeOn(await connected());
  const round = inMemory(roundOf({ deadline: inMs(60_000) }));
  await store.open(round.toStore());
  const client = await connected();
  await client.del(...(await client.keys(`${stack.topicPrefix}*`)));
  let finish!: () => void;
  store.recall = () => new Promise<void>((resolve) => (finish = resolve));
  store.rebuild = () => store.putBack(round.toStore(), [], null);
  const bytes = Buffer.from('decision');
  expect(await store.close(round.key, round.round, bytes, false)).toEqual({ state: 'closed' });
  let isOpen = false;
  const coming = inMemory(roundOf({ deadline: inMs(60_000) }));
  const opened = store.open(coming.toStore()).then(() => (isOpen = true));
  await sleep(200);
  expect(isOpen).toBe(false);
  finish();
  await opened;
}, 30_000);
