import { observationsCodec } from '#schemas/codec';
import { headers, zoneKey } from '#schemas/topics';
import type { OrderId, TenantId, ZoneId } from '#schemas/brands';
import { until } from '../support/until';
import { decisionOf, roundBody, startIngest, type IngestBench } from './ingest-harness';

let ingest: IngestBench;

beforeAll(async () => {
  ingest = await startIngest('ingest-decisions', {
    ROUNDHOUSE_INGEST_DECISION_CACHE_BYTES: '65536',
  });
}, 120_000);
afterAll(() => ingest?.stop(), 60_000);

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
