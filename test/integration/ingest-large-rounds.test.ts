import { shardsCodec } from '#schemas/codec';
import { until } from '../support/until';
import { roundBody, startIngest, type IngestBench } from './ingest-harness';

let ingest: IngestBench;
beforeAll(async () => {
  ingest = await startIngest('ingest-large');
}, 120_000);
afterAll(() => ingest?.stop(), 60_000);

/** 100 orders of one restaurant in bundles of up to six: a second or more of cutting. */
function largeBody(roundId: string, changes: Record<string, unknown> = {}) {
  const orders = Array.from({ length: 100 }, (_, i) => ({
    orderId: `o${i}`,
    pickup: { placeId: 'R', point: { x: 13.4, y: 52.5 }, travelZone: 0 },
    dropoff: { point: { x: 13.4 + i / 10_000, y: 52.5 }, travelZone: 0 },
  }));
  const couriers = Array.from({ length: 50 }, (_, i) => ({
    courierId: `k${i}`,
    position: { x: 13.4, y: 52.5 + i / 10_000 },
    travelZone: 0,
  }));
  const policy = { bundles: { maxOrders: 6, maxDropoffSpreadMetres: 100_000 } };
  return roundBody(roundId, { couriers, orders, policy, ...changes });
}
const post = (body: unknown) => ingest.post('/v1/rounds', body);

test('small rounds do not wait for a large one', async () => {
  const order: string[] = [];
  const large = post(largeBody('large')).then((reply) => {
    order.push('large');
    return reply;
  });
  // Some 100 small rounds could be cut in the time of the large one; ten are before it.
  for (let i = 0; i < 10; i++) {
    expect(await post(roundBody(`small-${i}`))).toMatchObject({ status: 202 });
    order.push('small');
  }
  const { status, body } = await large;
  expect([status, order.slice(0, 10)]).toEqual([202, Array(10).fill('small')]);
  expect(body.candidates).toBeGreaterThan(50_000);

  await ingest.manifests('large');
  const shards = () => ingest.seen.shards.filter(({ key }) => key!.toString().includes('large'));
  await until(() => shards().length === body.shards, 'the shards');
  const counts = shards().map(({ value }) => shardsCodec.decode(value!).candidateCount);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(body.candidates);
}, 60_000);

test('a large round whose turn comes too late is refused, and the next one is cut', async () => {
  const since = Date.now();
  expect((await post(largeBody('alone'))).status).toBe(202);
  const aloneMs = Date.now() - since;
  // Three before it take three times as long as one: its time is up before its turn, and it has that of one to arrive in.
  const before = ['a', 'b', 'c'].map((roundId) => post(largeBody(roundId)));
  const last = post(largeBody('last', { deadline: Date.now() + 150 + aloneMs }));
  expect((await last).body).toMatchObject({ error: 'INGEST_BUSY', faults: [{ path: 'deadline' }] });
  expect((await Promise.all(before)).map(({ status }) => status)).toEqual([202, 202, 202]);
  expect((await post(largeBody('last'))).status).toBe(202);
}, 120_000);

test('why a large round is refused comes over from its thread', async () => {
  const travel = { kind: 'matrix', contentHash: 'f'.repeat(64) };
  const reply = await post(largeBody('matrix', { policy: { travel, bundles: { maxOrders: 6 } } }));
  expect(reply).toMatchObject({ status: 400, body: { error: 'TRAVEL_MATRIX_UNKNOWN' } });
  expect((await post(roundBody('matrix'))).status).toBe(202);
}, 60_000);
