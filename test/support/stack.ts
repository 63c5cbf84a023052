import { randomBytes } from 'node:crypto';

/** The broker and Redis that all integration test files of a jest run share. */
export interface Stack {
  readonly kafkaBrokers: string;
  readonly brokers: readonly string[];
  readonly redisUrl: string;
  /** Unique per call: sets topics, consumer groups and Redis keys of a test file apart. */
  readonly topicPrefix: string;
  /** The same three as a service reads them. */
  readonly env: Readonly<Record<string, string>>;
}

/** jest's global set-up has started both; see global-setup.js. */
export function startStack(name = 'test'): Stack {
  const kafkaBrokers = required('KAFKA_BROKERS');
  const redisUrl = required('REDIS_URL');
  const topicPrefix = `${name}-${randomBytes(4).toString('hex')}.`;
  return {
    kafkaBrokers,
    brokers: kafkaBrokers.split(','),
    redisUrl,
    topicPrefix,
    env: { KAFKA_BROKERS: kafkaBrokers, REDIS_URL: redisUrl, ROUNDHOUSE_TOPIC_PREFIX: topicPrefix },
  };
}

function required(key: string): string {
  const value = process.env[key];
  if (value === undefined)
    throw new Error(`${key} is not set: run this test in the jest project "integration"`);
  return value;
}
