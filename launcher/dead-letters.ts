import { parseArgs } from 'node:util';
import { connectBus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { brokersSetting, commonSettings, loadConfig } from '#lib/config';
import { createTelemetry } from '#lib/telemetry';
import { RoundhouseError } from '#schemas/errors';
import { topicsOf } from '#schemas/topics';
import { deadLetterText } from './dead-letter-text';

const usage = `npm run --silent dead-letters -- [--limit N] [--follow]
  --limit N   the newest N (default 20)
  --follow    then every new one, until Ctrl-C
Reads KAFKA_BROKERS and ROUNDHOUSE_TOPIC_PREFIX like the services do.`;

const settings = {
  brokers: brokersSetting('KAFKA_BROKERS', '127.0.0.1:9092'),
  topicPrefix: commonSettings.topicPrefix,
};

interface Arguments {
  readonly limit: number;
  readonly follow: boolean;
}

function readArguments(args: readonly string[]): Arguments {
  const options = { limit: { type: 'string', default: '20' }, follow: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (!/^\d{1,6}$/.test(values.limit)) throw new Error(`--limit ${values.limit}: a whole number is wanted`);
  return { limit: Number(values.limit), follow: values.follow ?? false };
}

function byTime(a: BusMessage, b: BusMessage): number {
  return a.timestamp - b.timestamp || a.partition - b.partition || Number(a.offset - b.offset);
}

async function list({ limit, follow }: Arguments): Promise<void> {
  const { brokers, topicPrefix } = loadConfig(process.env, settings);
  const { logger } = createTelemetry({ service: 'dead-letters', logLevel: 'silent' });
  const bus = connectBus({ brokers, clientId: 'roundhouse-dead-letters', logger });
  const topic = topicsOf(topicPrefix).deadLetters;
  await bus.waitUntilReady(5_000);
  const print = (message: BusMessage): boolean => process.stdout.write(`${deadLetterText(message)}\n`);
  const follower = follow ? await bus.followTopic({ topic, from: 'latest', handle: print }) : null;
  const letters: BusMessage[] = [];
  await bus.readRange({ topic, from: 'earliest', handle: (message) => letters.push(message) });
  letters
    .sort(byTime)
    .slice(-limit || letters.length)
    .forEach(print);
  if (letters.length === 0) process.stderr.write(`no dead letters on ${topic}\n`);
  if (follower === null) return bus.close();
  process.once('SIGINT', () => void bus.close().then(() => process.exit(0)));
}

try {
  const args = readArguments(process.argv.slice(2));
  list(args).catch((error: unknown) => {
    const code = error instanceof RoundhouseError ? `${error.code}: ` : '';
    process.stderr.write(`${code}${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 500).unref();
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
  process.exitCode = 1;
}
