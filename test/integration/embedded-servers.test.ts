import Redis from 'ioredis';
import { brokerAnswers } from '#launcher/tcp-probe';
import { startStack } from '../support/stack';
import { disconnectedWithFile } from '../support/closed-with-file';

describe('the shared broker and Redis of a test run', () => {
  test('both answer', async () => {
    const { brokers, redisUrl } = startStack();
    expect(await brokerAnswers(Number(brokers[0]?.split(':')[1]))).toBe(true);
    const redis = disconnectedWithFile(new Redis(redisUrl));
    await expect(redis.ping()).resolves.toBe('PONG');
    redis.disconnect();
  });

  test('each caller has a prefix of its own', () => {
    expect(startStack('a').topicPrefix).not.toBe(startStack('a').topicPrefix);
  });
});
