import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { roundsCodec, shardsCodec, observationsCodec } from '#schemas/codec';
import { headers, shardKey, zoneKey } from '#schemas/topics';
import type { OrderId, TenantId, ZoneId } from '#schemas/brands';
import { readShard } from '../support/read-shard';
import { atBestOf, until } from '../support/until';
import { decisionOf, roundBody, startIngest, type IngestBench } from './ingest-harness';

let ingest: IngestBench;

beforeAll(async () => {
  ingest = await startIngest('ingest-http', {
    ROUNDHOUSE_INGEST_MAX_BODY_BYTES: '100000',
    ROUNDHOUSE_INGEST_MAX_ORDERS: '20',
    ROUNDHOUSE_INGEST_BODY_TIMEOUT_MS: '1000',
    ROUNDHOUSE_INGEST_DECISION_CACHE_BYTES: '65536',
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
      expect([status, error.error, error.faults.length]).toEqual([400, 'ROUND_INVALID', 1]);
      expect(error.faults[0]).toMatchObject({ path: 'deadline', value: String(body['deadline']) });
      expect(error.faults[0].limit).toMatch(/^at least 50 ms after now/);
      expect((await ingest.post('/v1/rounds', roundBody(id))).status).toBe(202);
      expect(await ingest.manifests(id)).toHaveLength(1);
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

describe('a decision', () => {
  const path = (roundId: string, waitMs = 0, run = 'run') =>
    `/v1/runs/${encodeURIComponent(run)}/rounds/${encodeURIComponent(roundId)}/decision?waitMs=${waitMs}`;

  test('comes when it is on Kafka, to everyone who waits', async () => {
    await ingest.post('/v1/rounds', roundBody('d1'));
    const [round] = await ingest.manifests('d1');
    expect(await ingest.get(path('d1'))).toMatchObject({ status: 202, body: { decided: false } });
    const polls = [ingest.get(path('d1', 20_000)), ingest.get(path('d1', 20_000))];
    const decision = decisionOf(round!);
    await ingest.publishDecision(decision, { [headers.outage]: 'redis' });
    for (const { status, body, headers: found } of await Promise.all(polls)) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        roundId: 'd1',
        sequence: String(decision.sequence),
        decisionId: 'decision-d1',
      });
      expect(body.content.assignments[0].cost).toBe('9007199254740993'); // 2^53 + 1, exact
      expect(found.get('x-roundhouse-outage')).toBe('redis');
      expect(found.get('x-roundhouse-closed-at')).toBe('123');
      expect(Math.abs(Number(found.get('x-roundhouse-appended-at')) - Date.now())).toBeLessThan(20_000);
    }
  }, 60_000);

  test('with marks that no HTTP header may hold comes without them', async () => {
    await ingest.post('/v1/rounds', roundBody('d0'));
    const [round] = await ingest.manifests('d0');
    const extra = { [headers.outage]: 'a\r\nb', [headers.closedAt]: '\u{1f600}' };
    await ingest.publishDecision(decisionOf(round!), extra);
    const { status, headers: found } = await ingest.get(path('d0', 20_000));
    expect([status, found.get('x-roundhouse-outage'), found.get('x-roundhouse-closed-at')]).toEqual([
      200,
      null,
      null,
    ]);
  }, 60_000);

  test('published again is the first one', async () => {
    await ingest.post('/v1/rounds', roundBody('d2'));
    const [round] = await ingest.manifests('d2');
    await ingest.publishDecision(decisionOf(round!, { coverage: 1 }));
    await ingest.publishDecision(decisionOf(round!, { coverage: 0.5 }));
    expect((await ingest.get(path('d2', 20_000))).body.content.coverage).toBe(1);
    const metrics = await ingest.get('/metrics');
    expect(metrics.body).toMatch(/dispatch_decisions_seen_total\{repeated="false"/);
  }, 60_000);

  test('that left the cache is 410, and one behind it is there', async () => {
    // 700 × 60 bytes each: two of them do not fit into 65,536.
    const unassigned = Array.from({ length: 700 }, (_, i) => ({
      orderId: `${'o'.repeat(56)}${1_000 + i}` as OrderId,
      reason: 'stale' as const,
    }));
    for (const roundId of ['old', 'new']) {
      await ingest.post('/v1/rounds', roundBody(roundId));
      const [round] = await ingest.manifests(roundId);
      await ingest.publishDecision(decisionOf(round!, { unassigned }));
    }
    expect((await ingest.get(path('new', 20_000))).status).toBe(200);
    expect(await ingest.get(path('old', 20_000))).toMatchObject({
      status: 410,
      body: { error: 'DECISION_GONE', retry: 'never' },
    });
  }, 60_000);

  test('of an unknown round is 404, at once', async () => {
    const started = Date.now();
    expect(await ingest.get(path('nobody', 10_000))).toMatchObject({
      status: 404,
      body: { error: 'NOT_FOUND' },
    });
    expect((await ingest.get(path('d1', 0, 'other run'))).status).toBe(404);
    expect(Date.now() - started).toBeLessThan(9_500); // it would wait for ten
  });

  test('of another tenant is not shown', async () => {
    expect((await ingest.get(path('d1'), { 'x-roundhouse-tenant': 'blue' })).status).toBe(404);
  });

  test('that is unreadable does not stop the others', async () => {
    await ingest.producer.send([{ topic: ingest.topics.decisions, key: 'k', value: Buffer.from('garbage') }]);
    await ingest.post('/v1/rounds', roundBody('d3'));
    const [round] = await ingest.manifests('d3');
    await ingest.publishDecision(decisionOf(round!));
    expect((await ingest.get(path('d3', 20_000))).status).toBe(200);
  }, 60_000);

  test.each(['-1', 'soon', '1e3'])('waitMs=%s is refused', async (waitMs) => {
    expect(await ingest.get(`/v1/runs/run/rounds/d1/decision?waitMs=${waitMs}`)).toMatchObject({
      status: 400,
    });
  });
});

describe('observations', () => {
  test('go to their topic', async () => {
    const observation = { orderId: 'a', courierId: null, kind: 'picked_up', at: 5, zoneId: 'z' };
    const reply = await ingest.post('/v1/observations', {
      observations: [observation, { ...observation, at: 6 }],
    });
    expect(reply).toMatchObject({ status: 202, body: { accepted: 2 } });
    await until(() => ingest.seen.observations.length === 2, 'two observations');
    const first = ingest.seen.observations[0]!;
    expect(observationsCodec.decode(first.value!)).toEqual({
      tenantId: 'default',
      runId: 'live',
      ...observation,
    });
    expect(first.key!.toString()).toBe(zoneKey('default' as TenantId, 'z' as ZoneId));
  });
  test.each(['?tenant=', '?tenant=a%1Fb', `?tenant=${'x'.repeat(65)}`])(
    'of the tenant %s are refused',
    async (query) => {
      const observations = [{ orderId: 'a', courierId: null, kind: 'picked_up', at: 5 }];
      const reply = await ingest.post(`/v1/observations${query}`, { observations });
      expect([reply.status, reply.body.faults[0].path]).toEqual([400, 'observations[0].tenantId']);
      const round = await ingest.post(`/v1/rounds${query}`, roundBody('tenant'));
      expect([round.status, round.body.faults[0].path]).toEqual([400, 'tenantId']);
      const decision = await ingest.get(`/v1/runs/run/rounds/d1/decision${query}`);
      expect([decision.status, decision.body.faults[0].path]).toEqual([400, 'tenantId']);
      expect((await ingest.get('/v1/runs/a%1Fb/rounds/d1/decision')).body.faults[0].path).toBe('runId');
    },
  );
  test('with faults are refused with all of them', async () => {
    const { status, body } = await ingest.post('/v1/observations', { observations: [{ kind: 'lost' }] });
    expect([status, body.error]).toEqual([400, 'PAYLOAD_INVALID']);
    expect(body.faults.map(({ path }: { path: string }) => path)).toEqual([
      'observations[0].orderId',
      'observations[0].kind',
      'observations[0].at',
    ]);
  });
});

describe('requests that are none', () => {
  test.each([
    ['no JSON', '{"roundId":'],
    ['empty', ''],
  ])('a body that is %s', async (_, body) => {
    const reply = await ingest.post('/v1/rounds', body);
    expect(reply.status).toBe(400);
  });
  test('a body that is not UTF-8', async () => {
    const body = Buffer.from('{"roundId": "\xff"}', 'latin1');
    const reply = await fetch(`${ingest.url}/v1/rounds`, { method: 'POST', body });
    expect([reply.status, ((await reply.json()) as { error: string }).error]).toEqual([
      400,
      'PAYLOAD_INVALID',
    ]);
  });
  test('a body of another type is 415, one without a type is taken as JSON', async () => {
    const type = { 'content-type': 'application/xml' };
    const { status, body } = await ingest.post('/v1/rounds', roundBody('xml'), type);
    expect([status, body.error]).toEqual([415, 'CONTENT_TYPE_UNSUPPORTED']);
    expect(body.message).toBe('content-type application/xml: send application/json in UTF-8');
    const untyped = new Blob([JSON.stringify(roundBody('untyped'))]);
    expect((await fetch(`${ingest.url}/v1/rounds`, { method: 'POST', body: untyped })).status).toBe(202);
  });
  test('a body nested very deep is refused unparsed', async () => {
    const { status } = await ingest.post('/v1/rounds', `[${'['.repeat(65)}`);
    expect(status).toBe(413);
  });
  test('bodies beyond what may be in work at once are 503 with retry-after, and taken afterwards', async () => {
    const { hostname, port } = new URL(ingest.url);
    // Two bodies of 99,000 of at most 100,000 bytes, not ended: 198,000 of 200,000 bytes are in work.
    const hold = () => {
      const headers = { 'content-length': 99_999 };
      const options = { hostname, port, path: '/v1/rounds', method: 'POST', headers };
      const request = httpRequest(options).on('error', () => undefined);
      request.write(' '.repeat(99_000));
      return request;
    };
    const padded = JSON.stringify(roundBody('busy')).padEnd(3_000);
    const headers = { 'content-type': 'application/json' };
    const send = () => fetch(`${ingest.url}/v1/rounds`, { method: 'POST', body: padded, headers });
    await atBestOf(5, async (attempt) => {
      const held = [hold(), hold()];
      await new Promise((resolve) => setTimeout(resolve, 300 * attempt)); // so that both have come
      const refused = await send();
      held.forEach((request) => request.destroy());
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await refused.json()).toMatchObject({ error: 'INGEST_BUSY', retry: 'same' });
    });
    let taken = await send();
    for (let i = 0; i < 200 && taken.status === 503; i++) taken = await send();
    expect(taken.status).toBe(202);
  });
  test('a body above the limit', async () => {
    const { status, body } = await ingest.post('/v1/rounds', 'x'.repeat(100_001));
    expect([status, body.error, body.message]).toEqual([
      413,
      'ROUND_TOO_LARGE',
      'a body of more than 100000 bytes',
    ]);
  });
  test('a body that never ends', async () => {
    // The body's time-out is 1 s here.
    const { hostname, port } = new URL(ingest.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /v1/rounds HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{');
    const reply = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => (text += chunk));
      socket.on('close', () => resolve(text));
    });
    expect(reply).toMatch(/^HTTP\/1\.1 408/);
  }, 30_000);
  test('a compressed body', async () => {
    const reply = await ingest.post('/v1/rounds', '{}', { 'content-encoding': 'gzip' });
    expect(reply.body.message).toMatch(/content-encoding gzip/);
  });
  test('another path or method', async () => {
    expect((await ingest.get('/v1/nothing')).status).toBe(404);
    expect((await ingest.get('/v1/rounds')).status).toBe(404);
    expect((await ingest.get('/v1/runs/%E0%A4%A/rounds/x/decision')).status).toBe(400);
  });
  test('a target that is no path', async () => {
    const { hostname, port } = new URL(ingest.url);
    const status = await new Promise((resolve) => {
      httpRequest({ hostname, port, path: '//', method: 'GET' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(404);
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
