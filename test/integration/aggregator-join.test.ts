import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { BusMessage } from '#lib/bus/port';
import { createRedis, type Redis } from '#lib/redis';
import { createTelemetry } from '#lib/telemetry';
import { OutcomeHandler } from '#services/aggregator/consume/outcome-handler';
import { aggregatorEvents } from '#services/aggregator/events';
import { OpenRound } from '#services/aggregator/join/open-round';
import { RoundBook } from '#services/aggregator/join/round-book';
import { JoinStore } from '#services/aggregator/store/join-store';
import type { UnixMs } from '#schemas/brands';
import { outcomesCodec, roundsCodec } from '#schemas/codec';
import { roundKey } from '#schemas/topics';
import { startStack } from '../support/stack';
import { inMs, roundOf, type CutRound } from './aggregator-harness';

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

function inMemory({ manifest }: CutRound, isOwned = true): OpenRound {
  return new OpenRound({
    key: roundKey(manifest.round),
    manifest,
    manifestBytes: roundsCodec.encode(manifest),
    manifestHash: 'hash',
    meta: { acceptedAt: Date.now() as UnixMs, traceparent: null, receivedAt: null },
    closeAt: inMs(60_000),
    isOwned: () => isOwned,
    cameLate: false,
  });
}

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
  await sleep(100);
  expect(told).toEqual([]);
  await handle(false, 1);
  await sleep(100);
  expect(told).toEqual([roundKey(round.manifest.round)]);
}, 30_000);
