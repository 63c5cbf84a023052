import { once } from 'node:events';
import { numberFlag, readFlags, runCommand } from '#lib/command-line';
import { connectBus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { commonSettings, loadConfig } from '#lib/config';
import { createTelemetry } from '#lib/telemetry';
import { RoundhouseError } from '#schemas/errors';
import { topicsOf } from '#schemas/topics';
import { deadLetterText } from './dead-letter-text';

const usage = `npm run --silent dead-letters -- [--limit N] [--follow]
  --limit N   the newest N (default 20)
  --follow    then every new one, until Ctrl-C
  --help      this text
KAFKA_BROKERS names the broker (default 127.0.0.1:9092), as \`npm start -- --serve\` prints it;
ROUNDHOUSE_TOPIC_PREFIX the prefix of the topics, if there is one.`;

const whereTheBrokerIs = 'KAFKA_BROKERS names the broker: copy the line that `npm start -- --serve` prints';

const settings = {
  ...kafkaSettings,
  topicPrefix: commonSettings.topicPrefix,
};

interface Arguments {
  readonly limit: number;
  readonly follow: boolean;
}

function readArguments(argv: readonly string[]): Arguments {
  const { limit, follow = false } = readFlags(argv, {
    limit: { type: 'string' },
    follow: { type: 'boolean' },
  });
  return { limit: numberFlag('limit', limit, { default: 20, min: 0, max: 999_999 }), follow };
}

function byTime(a: BusMessage, b: BusMessage): number {
  return a.timestamp - b.timestamp || a.partition - b.partition || Number(a.offset - b.offset);
}

async function list({ limit, follow }: Arguments): Promise<void> {
  const { topicPrefix, ...kafka } = loadConfig(process.env, settings);
  const { logger } = createTelemetry({ service: 'dead-letters', logLevel: 'silent' });
  const bus = connectBus({ ...kafkaAccess(kafka), clientId: 'roundhouse-dead-letters', logger });
  const topic = topicsOf(topicPrefix).deadLetters;
  await bus.waitUntilReady(5_000).catch((error: RoundhouseError) => {
    throw new RoundhouseError(error.code, `${error.message}. ${whereTheBrokerIs}`, [], { cause: error });
  });
  const print = (message: BusMessage): boolean => process.stdout.write(`${deadLetterText(message)}\n`);
  const follower = follow ? await bus.followTopic({ topic, from: 'latest', handle: print }) : null;
  const letters: BusMessage[] = [];
  await bus.readRange({ topic, from: 'earliest', handle: (message) => letters.push(message) });
  letters
    .sort(byTime)
    .slice(-limit || letters.length)
    .forEach(print);
  if (letters.length === 0) process.stderr.write(`no dead letters on ${topic}\n`);
  if (follower !== null) await once(process, 'SIGINT');
  await bus.close();
}

void runCommand({ usage, parse: readArguments, run: list });
