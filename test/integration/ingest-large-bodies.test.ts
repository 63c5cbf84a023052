import { readFileSync } from 'node:fs';
import { roundBody, startIngest, type IngestBench } from './ingest-harness';
import { pidOf } from '../support/running-process';

/** Bodies above this are read in the thread that cuts them. */
const LARGE_BODY_BYTES = 128 * 1024;
const mostCandidates = 20_000;

let ingest: IngestBench;
beforeAll(async () => {
  ingest = await startIngest('ingest-bodies', {
    ROUNDHOUSE_INGEST_MAX_CANDIDATES: `${mostCandidates}`,
    ROUNDHOUSE_INGEST_SHARDS_PER_ROUND: '4',
  });
}, 120_000);
afterAll(() => ingest?.stop(), 60_000);

/** The same JSON in a large body: white space says nothing. */
const enlarged = (body: unknown) => JSON.stringify(body) + ' '.repeat(LARGE_BODY_BYTES);
const post = (text: string, headers = {}) => ingest.post('/v1/rounds', text, headers);

test('a large body is the same submission as a small one', async () => {
  const body = roundBody('same');
  const first = await post(enlarged(body));
  expect(first).toMatchObject({ status: 202, body: { shards: 1, candidates: 2, again: false } });
  expect(await ingest.post('/v1/rounds', body)).toMatchObject({ status: 202, body: { again: true } });
  expect(await post(enlarged(body))).toMatchObject({ status: 202, body: { again: true } });
  const other = await post(enlarged(roundBody('same', { zoneId: 'elsewhere' })));
  expect(other).toMatchObject({ status: 409, body: { error: 'ROUND_CONFLICT' } });
  const [large] = await ingest.manifests('same');
  await ingest.post('/v1/rounds', { ...body, roundId: 'small' });
  const [small] = await ingest.manifests('small');
  expect({ ...large, roundId: '', sequence: 0n }).toEqual({ ...small, roundId: '', sequence: 0n });
});

test('equal large bodies that overlap in time are one round', async () => {
  const text = enlarged(roundBody('twice'));
  const replies = await Promise.all([post(text), post(text), post(text)]);
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(replies.filter(({ body }) => body.again === false)).toHaveLength(1);
  expect(await ingest.manifests('twice')).toHaveLength(1);
});

describe('refused, with what is wrong', () => {
  const courier = (i: number) => ({ courierId: `c${i}`, position: { x: 13.4, y: 52.5 } });
  const couriers = (count: number) => Array.from({ length: count }, (_, i) => courier(i));

  test.each([
    ['more couriers than the limit', { couriers: couriers(2_001) }, 413, 'ROUND_TOO_LARGE', 'couriers'],
    ['a field of another name', { courier: [] }, 400, 'ROUND_INVALID', 'courier'],
    [
      'a courier twice',
      { couriers: [...couriers(3), courier(1)] },
      400,
      'ROUND_INVALID',
      'couriers[3].courierId',
    ],
    ['another tenant than the request names', { tenantId: 'b' }, 400, 'ROUND_INVALID', 'tenantId'],
    ['a deadline in the past', { deadline: 1_000 }, 400, 'ROUND_INVALID', 'deadline'],
    [
      'a label that there is not',
      { policy: { modelLabel: 'beta' } },
      400,
      'ROUND_INVALID',
      'policy.modelLabel',
    ],
  ])('%s', async (_, changes, status, error, path) => {
    const reply = await post(enlarged(roundBody('refused', changes)), { 'x-roundhouse-tenant': 'a' });
    expect(reply).toMatchObject({ status, body: { error } });
    expect(reply.body.faults[0].path).toBe(path);
  });

  test('no JSON', async () => {
    const text = enlarged(roundBody('broken')).replace('"roundId"', 'roundId');
    expect(await post(text)).toMatchObject({ status: 400, body: { error: 'PAYLOAD_INVALID' } });
  });

  test('too many values, before they are parsed', async () => {
    const reply = await post(JSON.stringify({ roundId: 'many', orders: Array(2_000_000).fill(0) }));
    expect(reply).toMatchObject({ status: 413, body: { error: 'ROUND_TOO_LARGE' } });
    expect(reply.body.message).toContain('JSON values');
  });

  test('and the next one is read', async () => {
    expect((await post(enlarged(roundBody('next')))).status).toBe(202);
  });
});

test('a round that could have tens of millions of candidates has as many as the limit, in few shards', async () => {
  const place = (i: number) => ({
    x: 13.4 + ((i * 7_919) % 1_000) / 1e5,
    y: 52.5 + ((i * 104_729) % 1_000) / 1e5,
  });
  // 1,000 orders of 20 restaurants in bundles of up to three, and 1,000 couriers for each: 20 · (50 + 1,225 + 19,600) · 1,000.
  const orders = Array.from({ length: 1_000 }, (_, i) => ({
    orderId: `o${i}`,
    pickup: { placeId: `r${i % 20}`, point: place(i % 20) },
    dropoff: { point: place(i) },
  }));
  const couriers = Array.from({ length: 1_000 }, (_, i) => ({ courierId: `c${i}`, position: place(i + 7) }));
  const bundles = { maxOrders: 3, maxReadySpreadSeconds: 3_600, maxDropoffSpreadMetres: 100_000 };
  const policy = { couriersPerBundle: 1_000, candidateRadiusMetres: 100_000, bundles };
  const reply = await post(JSON.stringify(roundBody('millions', { orders, couriers, policy })));
  expect(reply.status).toBe(202);
  expect(reply.body.candidates).toBeLessThanOrEqual(mostCandidates);
  expect(reply.body.candidates).toBeGreaterThan(mostCandidates / 2);
  expect(reply.body.shards).toBe(4);
  const pid = pidOf(ingest.pipeline, 'ingest');
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]);
  expect(peakKb).toBeLessThan(600_000);
});
