import { Redis } from 'ioredis';
import { roundsCodec, shardsCodec } from '#schemas/codec';
import { headers, shardKey, zoneKey } from '#schemas/topics';
import type { TenantId, ZoneId } from '#schemas/brands';
import { readShard } from '../support/read-shard';
import { atBestOf, until } from '../support/until';
import { roundBody, startIngest, type IngestBench } from './ingest-harness';

let ingest: IngestBench;

beforeAll(async () => {
  ingest = await startIngest('ingest-http', {
    ROUNDHOUSE_INGEST_MAX_ORDERS: '20',
  });
}, 120_000);
afterAll(() => ingest?.stop(), 60_000);

const shardsOf = (roundId: string) =>
  ingest.seen.shards.filter(({ value }) => shardsCodec.decode(value!).roundId === roundId);

describe('a round', () => {
  test('is accepted when its shards and its manifest are on Kafka, keyed and with headers', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const before = Date.now();
    const { status, body } = await ingest.post('/v1/rounds', roundBody('r1', { zoneId: 'z' }), {
      traceparent,
    });
    expect(status).toBe(202);
    // Two couriers can reach the one order: 2 candidates in 1 shard.
    expect(body).toEqual({
      tenantId: 'default',
      runId: 'run',
      roundId: 'r1',
      shards: 1,
      candidates: 2,
      again: false,
    });
    await ingest.manifests('r1');
    // Topics are followed side by side: a shard may be seen behind its manifest.
    await until(() => shardsOf('r1').length > 0, 'the shard is seen');
    const [shardMessage] = shardsOf('r1');
    const shard = shardsCodec.decode(shardMessage!.value!);
    const message = ingest.seen.rounds.find(
      ({ value }) => roundsCodec.decode(value!).round.roundId === 'r1',
    )!;
    const manifest = roundsCodec.decode(message.value!);
    expect(shardMessage!.key!.toString()).toBe(shardKey(shard));
    expect(message.key!.toString()).toBe(zoneKey('default' as TenantId, 'z' as ZoneId));
    expect(message.timestamp).toBeGreaterThanOrEqual(shardMessage!.timestamp);
    for (const { headers: found } of [message, shardMessage!]) {
      expect(found[headers.traceparent]).toBe(traceparent);
      expect(Number(found[headers.receivedAt])).toBeGreaterThanOrEqual(before);
    }
    expect(manifest).toMatchObject({ shardCount: 1, shardCandidateCounts: [2], round: { zoneId: 'z' } });
    expect(manifest.models.map(({ name }) => name)).toContain('candidate_cost');
    expect(manifest.models[0]!.contentHash).toMatch(/^[0-9a-f]{64}$/);
    expect(readShard(shard).candidates).toEqual([
      { courier: 0, orders: [0] },
      { courier: 1, orders: [0] },
    ]);
  });

  test.each([
    ['no couriers', { couriers: [] }],
    ['no orders', { orders: [] }],
    ['neither', { couriers: [], orders: [] }],
  ])('with %s is accepted without shards', async (name, changes) => {
    const { status, body } = await ingest.post('/v1/rounds', roundBody(name, changes));
    expect([status, body.shards, body.candidates]).toEqual([202, 0, 0]);
    expect(await ingest.manifests(name)).toHaveLength(1);
  });

  test('with faults is refused with all of them and leaves nothing on Kafka', async () => {
    const { status, body } = await ingest.post('/v1/rounds', {
      ...roundBody('bad', { deadline: Date.now() - 1, space: 'mars', zoneId: 'x'.repeat(65) }),
      oders: [],
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'ROUND_INVALID', message: 'the round has 4 faults', retry: 'never' });
    expect(body.faults.map(({ path }: { path: string }) => path).sort()).toEqual([
      'deadline',
      'oders',
      'space',
      'zoneId',
    ]);
    expect(ingest.seen.rounds.map(({ value }) => roundsCodec.decode(value!).round.roundId)).not.toContain(
      'bad',
    );
  });

  test('with more orders than configured is 413', async () => {
    const orders = Array.from({ length: 21 }, () => ({}));
    const { status, body } = await ingest.post('/v1/rounds', roundBody('many', { orders }));
    expect([status, body.error, body.faults[0].limit]).toEqual([
      413,
      'ROUND_TOO_LARGE',
      'at most 20 elements',
    ]);
  });

  test('with a travel matrix that is not in the repository is refused, and its id stays free', async () => {
    const stop = { point: { x: 13.39, y: 52.51 }, travelZone: 0 };
    const byMatrix = roundBody('matrix', {
      policy: { travel: { kind: 'matrix', contentHash: 'f'.repeat(64) } },
      couriers: [],
      orders: [{ orderId: 'a', pickup: stop, dropoff: stop }],
    });
    const { status, body } = await ingest.post('/v1/rounds', byMatrix);
    expect([status, body.error]).toEqual([400, 'TRAVEL_MATRIX_UNKNOWN']);
    expect((await ingest.post('/v1/rounds', roundBody('matrix'))).status).toBe(202);
  });

  test('of int64 extremes keeps its sequence', async () => {
    for (const sequence of ['9223372036854775807', '-9223372036854775808']) {
      await ingest.post('/v1/rounds', roundBody(`s${sequence}`, { sequence }));
      expect((await ingest.manifests(`s${sequence}`))[0]!.sequence).toBe(BigInt(sequence));
    }
  });

  test('named __proto__ is a round like any other', async () => {
    const hostile = roundBody('__proto__', { zoneId: '__proto__', runId: 'constructor' });
    expect((await ingest.post('/v1/rounds', hostile)).status).toBe(202);
    expect((await ingest.manifests('__proto__'))[0]).toMatchObject({
      zoneId: '__proto__',
      runId: 'constructor',
    });
    const withKey = `{"__proto__":{"x":1},${JSON.stringify(roundBody('p')).slice(1)}`;
    expect((await ingest.post('/v1/rounds', withKey)).body.faults[0].path).toBe('__proto__');
  });
});

describe('the same round again', () => {
  test('is one round', async () => {
    const body = roundBody('twice');
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    const submittedAt = Date.now();
    expect((await ingest.post('/v1/rounds', body)).body.again).toBe(false);
    const counted = async () => {
      const { body: text } = await ingest.get('/metrics');
      return [/_candidates_total\{.*\} (\d+)/, /_round_cut_seconds_count\{.*\} (\d+)/].map(
        (sample) => sample.exec(text)![1],
      );
    };
    const before = await counted();
    const again = await ingest.post('/v1/rounds', reordered);
    expect([again.status, again.body.again, again.body.candidates]).toEqual([202, true, 2]);
    expect(await counted()).toEqual(before); // neither cut nor published again
    await ingest.post('/v1/rounds', roundBody('marker'));
    await ingest.manifests('marker');
    const manifests = await ingest.manifests('twice');
    expect(manifests).toHaveLength(1);
    // Without a sequence of its own it has the moment of its first submission.
    expect(manifests[0]!.sequence).toBeGreaterThanOrEqual(BigInt(submittedAt));
    expect(manifests[0]!.sequence).toBeLessThan(BigInt(body['deadline'] as number));
  });

  test('at the same time is one round', async () => {
    const body = roundBody('racing');
    const replies = await Promise.all(Array.from({ length: 8 }, () => ingest.post('/v1/rounds', body)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(replies.filter((reply) => !reply.body.again)).toHaveLength(1);
    expect(await ingest.manifests('racing')).toHaveLength(1);
  });

  test('with other content is a conflict', async () => {
    const body = roundBody('changed');
    await ingest.post('/v1/rounds', body);
    const { status, body: error } = await ingest.post('/v1/rounds', { ...body, couriers: [] });
    expect([status, error.error]).toEqual([409, 'ROUND_CONFLICT']);
    expect(await ingest.manifests('changed')).toHaveLength(1);
  });

  test('after its deadline is answered as before, while a new one is refused', async () => {
    const body = roundBody('late', { deadline: Date.now() + 4_000 });
    expect((await ingest.post('/v1/rounds', body)).status).toBe(202);
    await until(() => Date.now() > (body['deadline'] as number), 'the deadline');
    const again = await ingest.post('/v1/rounds', body);
    expect([again.status, again.body.again, again.body.candidates]).toEqual([202, true, 2]);
    const fresh = await ingest.post('/v1/rounds', { ...body, roundId: 'later' });
    expect([fresh.status, fresh.body.faults[0].path]).toEqual([400, 'deadline']);
  });

  test('whose deadline came too near meanwhile is refused, and its id stays free', async () => {
    const redis = new Redis(ingest.stack.redisUrl);
    const attempts = atBestOf(3, async (attempt) => {
      const id = `slow-${attempt}`;
      // The claim is answered 1,800 ms from now, with the deadline 900 ms from now.
      await redis.client('PAUSE', 1_800, 'ALL');
      const body = roundBody(id, { deadline: Date.now() + 900 });
      const { status, body: error } = await ingest.post('/v1/rounds', body);
      expect([status, error.error, error.faults.length]).toEqual([503, 'INGEST_BUSY', 1]);
      expect(error.message).toMatch(/^the deadline was \d+ ms ago, and a round needs \d+ ms at present/);
      expect(error.faults[0]).toMatchObject({ path: 'deadline', value: String(body['deadline']) });
      expect(error.faults[0].limit).toMatch(/^at least \d+ ms after now/);
      expect((await ingest.post('/v1/rounds', roundBody(id))).status).toBe(202);
      expect(await ingest.manifests(id)).toHaveLength(1);
      await until(() => shardsOf(id).length > 0, 'the shard is seen');
      expect(shardsOf(id)).toHaveLength(1);
    });
    await attempts.finally(() => redis.disconnect());
  });

  test('is another round for another tenant or run', async () => {
    const body = roundBody('shared');
    await ingest.post('/v1/rounds', body);
    const tenant = await ingest.post('/v1/rounds', body, { 'x-roundhouse-tenant': 'blue' });
    expect([tenant.status, tenant.body.again, tenant.body.tenantId]).toEqual([202, false, 'blue']);
    expect((await ingest.post('/v1/rounds', { ...body, runId: 'other' })).body.again).toBe(false);
    const mixed = await ingest.post('/v1/rounds?tenant=red', { ...body, tenantId: 'blue' });
    expect([mixed.status, mixed.body.faults[0].path]).toEqual([400, 'tenantId']);
  });
});

test('live, ready and measured', async () => {
  expect((await ingest.get('/livez')).status).toBe(200);
  expect((await ingest.get('/readyz')).status).toBe(200);
  const { body } = await ingest.get('/metrics');
  expect(body).toMatch(/dispatch_rounds_accepted_total\{[^}]*edge="http"/);
  expect(body).toMatch(/dispatch_clock_skew_seconds\{[^}]*\} -?[\d.e-]+/);
  expect(body).toMatch(/dispatch_rounds_refused_total\{[^}]*code="ROUND_INVALID"/);
});
