import { closeRedis, createRedis } from '#lib/redis';
import { createTelemetry } from '#lib/telemetry';
import type { RoundId, RunId, TenantId } from '#schemas/brands';
import { roundKey } from '#schemas/topics';
import { RoundClaims, type HeldClaim } from '../../services/ingest/store/round-claims';
import { startStack } from '../support/stack';

const { redisUrl: url, topicPrefix } = startStack('claims');
const { logger } = createTelemetry({ service: 'test', logLevel: 'silent' });
const redis = createRedis({ url, name: 'test', logger });
afterAll(() => closeRedis(redis));

const claims = new RoundClaims(redis, topicPrefix, 60_000);
const round = (roundId: string, sequence = 5n) => ({
  tenantId: 't' as TenantId,
  runId: 'r' as RunId,
  roundId: roundId as RoundId,
  sequence,
});
const keyOf = (roundId: string) => `${topicPrefix}ingest:round:${roundKey(round(roundId))}`;
const accepted = { shards: 1, candidates: 2, deadline: 3 };

/** A share in a claim of the content `hash`. */
async function held(roundId: string): Promise<HeldClaim> {
  const claim = await claims.claim(round(roundId), 'hash');
  if (!('id' in claim)) throw new Error(`the claim is ${claim.state}`);
  return claim;
}

const claimOfOther = async (roundId: string) => (await claims.claim(round(roundId), 'other')).state;

// The manifest of the first attempt may be on Kafka: another sequence would make another round of it.
test('a round that is sent again keeps the sequence of its first attempt', async () => {
  const first = await claims.claim(round('one', 5n), 'hash');
  expect(first).toEqual({ state: 'claimed', sequence: 5n, id: expect.any(String) });
  expect(await claims.claim(round('one', 9n), 'hash')).toEqual({ ...first, state: 'pending' });
  expect(await claims.claim(round('one', 9n), 'other')).toEqual({ state: 'conflict' });
  await claims.confirm(round('one', 5n), 'hash', accepted);
  expect(await claims.claim(round('one', 9n), 'hash')).toEqual({ state: 'accepted', ...accepted });
});

test('a claim goes with the last of the attempts that have sent nothing', async () => {
  const [first, second] = [await held('all'), await held('all')];
  await claims.release(round('all'), first);
  expect(await claimOfOther('all')).toBe('conflict');
  await claims.release(round('all'), second);
  expect(await claimOfOther('all')).toBe('claimed');
});

test('a claim stays while one attempt has not given it up, and whoever comes next joins it', async () => {
  await held('kept');
  for (let attempt = 0; attempt < 3; attempt++) await claims.release(round('kept'), await held('kept'));
  expect(await claimOfOther('kept')).toBe('conflict');
});

test('neither an accepted claim nor one that was made anew is given up by an attempt from before', async () => {
  const [confirmed, lost] = [await held('confirmed'), await held('lost')];
  await claims.confirm(round('confirmed'), 'hash', accepted);
  await claims.release(round('confirmed'), confirmed);
  expect(await claimOfOther('confirmed')).toBe('conflict');
  await redis.del(keyOf('lost'));
  await held('lost');
  await claims.release(round('lost'), lost);
  expect(await claimOfOther('lost')).toBe('conflict');
});

test('a claim from before claims had an id is not given up', async () => {
  await redis.hset(keyOf('old'), { hash: 'hash', state: 'pending', sequence: '5' });
  expect(await held('old')).toEqual({ state: 'pending', sequence: 5n, id: null });
  await claims.release(round('old'), await held('old'));
  expect(await claimOfOther('old')).toBe('conflict');
});

test('a claim that Redis lost is made again when it is confirmed, and expires', async () => {
  await held('gone');
  await redis.del(keyOf('gone'));
  await claims.confirm(round('gone'), 'hash', accepted);
  expect(await redis.pttl(keyOf('gone'))).toBeGreaterThan(0);
  expect(await claims.find(round('gone'))).toEqual({ hash: 'hash', accepted });
  expect(await claimOfOther('gone')).toBe('conflict');
});

test('a claim of other content is not confirmed', async () => {
  await held('taken');
  const confirmed = claims.confirm(round('taken'), 'other', accepted);
  await expect(confirmed).rejects.toMatchObject({ code: 'ROUND_CONFLICT' });
  expect(await claims.find(round('taken'))).toEqual({ hash: 'hash', accepted: null });
});
