import { pino } from 'pino';
import { loadConfig } from '#lib/config';
import { createRedis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import { redisSettings } from '#lib/redis-settings';
import { RoundClaims, type Claim } from '#services/ingest/store/round-claims';
import type { RoundId, RunId, TenantId } from '#schemas/brands';

type Held = Extract<Claim, { readonly id: string | null }>;

/** A round that is claimed, joined, given up by both, claimed with other content and accepted. */
async function claimsInEveryWay(claims: RoundClaims): Promise<void> {
  const names = { tenantId: 'acme' as TenantId, runId: 'live' as RunId, roundId: 'claims' as RoundId };
  const round = { ...names, sequence: 1n };
  const first = (await claims.claim(round, 'a')) as Held;
  const joined = (await claims.claim(round, 'a')) as Held;
  expect([first.state, joined.state]).toEqual(['claimed', 'pending']);
  await claims.release(round, first);
  await expect(claims.claim(round, 'b')).resolves.toEqual({ state: 'conflict' });
  await claims.release(round, joined);
  await expect(claims.claim(round, 'b')).resolves.toMatchObject({ state: 'claimed' });
  const accepted = { shards: 1, candidates: 2, deadline: 3 };
  await claims.confirm(round, 'b', accepted);
  await expect(claims.claim(round, 'b')).resolves.toEqual({ state: 'accepted', ...accepted });
  await expect(claims.confirm(round, 'a', accepted)).rejects.toThrow('other content');
}

/** With ingest's own user: no other service's keys, nothing of an operator, and all that claims are made of. */
export async function takesWhatIngestNeeds(settings: NodeJS.ProcessEnv): Promise<void> {
  const access = redisAccess(loadConfig(settings, redisSettings));
  const redis = createRedis({ ...access, name: 'test', logger: pino({ level: 'silent' }) });
  try {
    await redis.connect();
    await expect(redis.get('aggregator:epoch')).rejects.toThrow(/NOPERM/);
    await expect(redis.flushall()).rejects.toThrow(/NOPERM/);
    await expect(redis.config('GET', '*')).rejects.toThrow(/NOPERM/);
    await claimsInEveryWay(new RoundClaims(redis, '', 60_000));
  } finally {
    redis.disconnect();
  }
}
