import { closeRedis, createRedis } from '#lib/redis';
import { createTelemetry } from '#lib/telemetry';
import type { RoundId, RunId, TenantId } from '#schemas/brands';
import { RoundClaims } from '../../services/ingest/store/round-claims';
import { startStack } from '../support/stack';

const { redisUrl: url, topicPrefix } = startStack('claims');
const { logger } = createTelemetry({ service: 'test', logLevel: 'silent' });
const redis = createRedis({ url, name: 'test', logger });
afterAll(() => closeRedis(redis));

// The manifest of the first attempt may be on Kafka: another sequence would make another round of it.
test('a round that is sent again keeps the sequence of its first attempt', async () => {
  const claims = new RoundClaims(redis, topicPrefix, 60_000);
  const round = (sequence: bigint) => ({
    tenantId: 't' as TenantId,
    runId: 'r' as RunId,
    roundId: 'one' as RoundId,
    sequence,
  });
  expect(await claims.claim(round(5n), 'hash')).toEqual({ state: 'claimed', sequence: 5n });
  expect(await claims.claim(round(9n), 'hash')).toEqual({ state: 'pending', sequence: 5n });
  expect(await claims.claim(round(9n), 'other')).toEqual({ state: 'conflict' });
  const accepted = { shards: 1, candidates: 2, deadline: 3 };
  await claims.confirm(round(9n), accepted);
  expect(await claims.claim(round(9n), 'hash')).toEqual({ state: 'accepted', ...accepted });
});
