import { credentials, loadPackageDefinition, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderId, RoundId, RunId } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import { projectPath } from '#schemas/project-root';
import { until } from '../support/until';
import { decisionOf, roundBody, startIngest, type IngestBench } from './ingest-harness';

type Reply = Record<string, any>;
interface Stub {
  SubmitRound(
    body: object,
    metadata: Metadata,
    done: (error: ServiceError | null, reply: Reply) => void,
  ): void;
  WatchDecisions(
    request: object,
    metadata?: Metadata,
  ): {
    on(event: string, listener: (value: any) => void): void;
    cancel(): void;
  };
  Check(request: object, done: (error: ServiceError | null, reply: Reply) => void): void;
  close(): void;
}

let ingest: IngestBench;
let dispatch: Stub;
let health: Stub;

function stub(file: string, path: string[], address: string): Stub {
  const options = { longs: String, enums: String, defaults: true };
  let found: any = loadPackageDefinition(loadSync(projectPath('schemas', 'proto', file), options));
  for (const name of path) found = found[name];
  return new found(address, credentials.createInsecure()) as Stub;
}

beforeAll(async () => {
  ingest = await startIngest('ingest-grpc', { ROUNDHOUSE_INGEST_MAX_BODY_BYTES: '100000' });
  dispatch = stub('roundhouse.proto', ['roundhouse', 'v1', 'Dispatch'], ingest.grpc);
  health = stub('health.proto', ['grpc', 'health', 'v1', 'Health'], ingest.grpc);
}, 120_000);
afterAll(async () => {
  dispatch?.close();
  health?.close();
  await ingest?.stop();
}, 60_000);

function submit(body: object, metadata = new Metadata()): Promise<Reply> {
  return new Promise((resolve, reject) =>
    dispatch.SubmitRound(body, metadata, (error, reply) => (error ? reject(error) : resolve(reply))),
  );
}
const refusal = (body: object, metadata?: Metadata) =>
  submit(body, metadata).then(
    () => Promise.reject(new Error('accepted')),
    (error: ServiceError) => error,
  );

function watch(request: object, metadata = new Metadata()) {
  const call = dispatch.WatchDecisions(request, metadata);
  const seen: Reply[] = [];
  const errors: ServiceError[] = [];
  call.on('data', (record) => seen.push(record as Reply));
  call.on('error', (error: ServiceError) => errors.push(error));
  return { seen, errors, cancel: () => call.cancel() };
}

test('a round on gRPC is the same round as on HTTP', async () => {
  const body = roundBody('g1', { sequence: '-9223372036854775808', asOf: 1_700_000_000 });
  expect(await submit(body)).toEqual({
    tenantId: 'default',
    runId: 'run',
    roundId: 'g1',
    shards: 1,
    candidates: 2,
    again: false,
  });
  const [round] = await ingest.manifests('g1');
  expect(round).toMatchObject({ sequence: -(2n ** 63n), asOf: 1_700_000_000, space: 'wgs84' });
  // Absent fields take the defaults of the JSON body; a zero that was set stays a zero.
  expect(round!.couriers[0]).toMatchObject({ vehicle: 'bike', capacity: 10, availableAt: 1_700_000_000 });
  expect((await ingest.post('/v1/rounds', body)).body).toMatchObject({ again: true });
});

test('a zero is not an absent field', async () => {
  const body = roundBody('g2', {
    couriers: [{ courierId: 'k', position: { x: 13.4, y: 52.5 }, capacity: 0 }],
  });
  expect(await submit(body)).toMatchObject({ candidates: 0 });
  expect((await ingest.manifests('g2'))[0]!.couriers[0]!.capacity).toBe(0);
});

test('faults come with the status, in the message and in the metadata', async () => {
  const orders = [
    { orderId: 'a', pickup: { point: { x: NaN, y: 52 } }, dropoff: { point: { x: 13, y: Infinity } } },
  ];
  const error = await refusal(roundBody('bad', { orders, space: 'mars' }));
  expect(error.code).toBe(status.INVALID_ARGUMENT);
  expect(error.details).toMatch(
    /^ROUND_INVALID: the round has 3 faults\nspace: "mars", one of wgs84, planar/,
  );
  const detail = JSON.parse(error.metadata.get('roundhouse-error-bin')[0]!.toString()) as Reply;
  // The same four fields as in the body over HTTP.
  expect(Object.keys(detail)).toEqual(['error', 'message', 'retry', 'faults']);
  const faulty = { ...roundBody('bad', { space: 'mars' }), deadline: null };
  const { body } = await ingest.post('/v1/rounds', faulty);
  const trailer = (await refusal(faulty)).metadata.get('roundhouse-error-bin')[0]!;
  expect(JSON.parse(trailer.toString())).toEqual(body);
  expect(detail).toMatchObject({ error: 'ROUND_INVALID', retry: 'never' });
  expect(detail['faults'].map(({ path, value }: Reply) => `${path} ${value}`)).toEqual([
    'space "mars"',
    'orders[0].pickup.point.x NaN',
    'orders[0].dropoff.point.y Infinity',
  ]);
});

test('text that can only be shown in part is cut between characters, and ingest serves on', async () => {
  // The quoted id is cut at 80 UTF-16 units: the quote, 78 letters, then the first half of an emoji.
  const error = await refusal(roundBody(`${'a'.repeat(78)}😀😀`));
  expect(error.details).toBe(
    `ROUND_INVALID: the round has 1 fault\nroundId: "${'a'.repeat(78)}…, at most 64 bytes of UTF-8, it has 86`,
  );
  const many = Array.from({ length: 5 }, () => '😀'.repeat(70));
  const long = await refusal(roundBody('bad', { cancelledOrderIds: many, zoneId: '\udc00' }));
  expect(long.code).toBe(status.INVALID_ARGUMENT);
  expect(encodeURI(long.details).length).toBeLessThanOrEqual(4_096);
  expect(await submit(roundBody('g0'))).toMatchObject({ roundId: 'g0' });
});

test('a hundred faults fit into the metadata of a call', async () => {
  const orders = Array.from({ length: 200 }, (_, i) => ({ orderId: `o${i}`, size: -1 }));
  const error = await refusal(roundBody('bad', { orders }));
  const bytes = error.metadata.get('roundhouse-error-bin')[0] as Buffer;
  expect(bytes.length).toBeLessThan(8_192);
  expect((JSON.parse(bytes.toString()) as Reply)['faults'].length).toBeGreaterThan(20);
});

test('a conflict and a message above the limit have their status', async () => {
  await submit(roundBody('g3'));
  expect((await refusal(roundBody('g3', { couriers: [] }))).code).toBe(status.ALREADY_EXISTS);
  const huge = roundBody('x'.repeat(200_000));
  expect((await refusal(huge)).code).toBe(status.RESOURCE_EXHAUSTED);
});

test('the tenant comes with the call', async () => {
  const metadata = new Metadata();
  metadata.set('x-roundhouse-tenant', 'blue');
  expect(await submit(roundBody('g4'), metadata)).toMatchObject({ tenantId: 'blue' });
});

test('decisions are watched for the tenant of the call, and for no other', async () => {
  const metadata = new Metadata();
  metadata.set('x-roundhouse-tenant', 'green');
  const green = watch({}, metadata);
  const other = watch({ tenantId: 'blue' }, metadata);
  await until(() => other.errors.length === 1, 'the refusal');
  expect(other.errors[0]).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: 'PAYLOAD_INVALID: the request names another tenant\ntenantId: "blue", the tenant of the call',
  });
  await submit(roundBody('t1', { tenantId: 'green' }), metadata);
  await submit(roundBody('t2'));
  const [t1] = await ingest.manifests('t1');
  const [t2] = await ingest.manifests('t2');
  for (const round of [t2!, t1!]) await ingest.publishDecision(decisionOf(round));
  await until(() => green.seen.length > 0, 'the decision');
  expect(green.seen.map(({ decision }) => decision.roundId)).toEqual(['t1']);
  green.cancel();
});

test('what a watcher names is no id: the stream is refused', async () => {
  const watched = watch({ runId: 'x'.repeat(50_000), zoneId: '' });
  await until(() => watched.errors.length === 1, 'the refusal');
  expect(watched.errors[0]!.code).toBe(status.INVALID_ARGUMENT);
  expect(watched.errors[0]!.details).toMatch(
    /^PAYLOAD_INVALID: the request names no ids\nrunId: "x+…, at most 64 bytes of UTF-8, it has 50000\nzoneId: /,
  );
});

test('a tenant of the metadata that is no id is a fault', async () => {
  const metadata = new Metadata();
  metadata.set('x-roundhouse-tenant', 'x'.repeat(500));
  const error = await refusal(roundBody('g5'), metadata);
  expect(error.details).toMatch(/tenantId: "x+…, as the tenant of the request: at most 64 bytes/);
});

test('decisions are streamed once each to those who watch their tenant, run or zone', async () => {
  const watchers = {
    all: watch({}),
    zone: watch({ zoneId: 'w' }),
    run: watch({ runId: 'elsewhere' }),
    tenant: watch({ tenantId: 'blue' }),
  };
  await submit(roundBody('w1', { zoneId: 'w' }));
  await submit(roundBody('w2', { zoneId: 'v' }));
  const [w1] = await ingest.manifests('w1');
  const [w2] = await ingest.manifests('w2');
  for (const round of [w1!, w1!, w2!]) await ingest.publishDecision(decisionOf(round));
  await until(() => watchers.all.seen.length >= 2, 'two decisions');
  const rounds = (records: Reply[]) => records.map(({ decision }) => decision.roundId as string);
  expect(rounds(watchers.all.seen)).toEqual(expect.arrayContaining(['w1', 'w2']));
  expect(watchers.all.seen).toHaveLength(2);
  expect(rounds(watchers.zone.seen)).toEqual(['w1']);
  expect(rounds(watchers.run.seen)).toEqual([]);
  expect(rounds(watchers.tenant.seen)).toEqual([]);
  const record = watchers.zone.seen[0]!;
  expect(record['decision'].content.assignments[0].cost).toBe('9007199254740993');
  expect(record['decision'].sequence).toBe(String(w1!.sequence));
  expect(record['closedAt']).toBe('123');
  for (const { cancel } of Object.values(watchers)) cancel();

  const later = watch({ includeRecent: true, zoneId: 'w' });
  await until(() => later.seen.length === 1, 'the recent decision');
  later.cancel();
});

/** Decisions of one run, 4 KiB each, on Kafka at once. */
async function publishMany(runId: string, from: number, count: number): Promise<void> {
  await submit(roundBody(`model-${runId}-${from}`));
  const [round] = await ingest.manifests(`model-${runId}-${from}`);
  const unassigned = Array.from({ length: 64 }, (_, i) => ({
    orderId: `${'o'.repeat(60)}${i}` as OrderId,
    reason: 'stale' as const,
  }));
  const messages = Array.from({ length: count }, (_, i) => {
    const named = { ...round!, runId: runId as RunId, roundId: `${from + i}` as RoundId };
    const value = decisionsCodec.encode(decisionOf(named, { unassigned }));
    return { topic: ingest.topics.decisions, key: 'one', value };
  });
  await ingest.producer.send(messages);
}
/** Nobody submitted these rounds here, so the answer is 404 until the decision has been seen. */
async function decided(runId: string, roundId: number): Promise<void> {
  const path = `/v1/runs/${runId}/rounds/${roundId}/decision`;
  for (let tries = 0; (await ingest.get(path)).status !== 200; tries++) {
    if (tries === 1_000) throw new Error(`no decision of ${roundId}`);
    await sleep(10);
  }
}

test('a thousand recent decisions and those that come meanwhile are streamed once each, in order', async () => {
  await publishMany('many', 0, 1_000);
  await decided('many', 999);
  const watcher = watch({ includeRecent: true, runId: 'many' });
  const added = publishMany('many', 1_000, 300);
  await until(() => watcher.seen.length >= 1_300, '1,300 decisions');
  await added;
  const expected = Array.from({ length: 1_300 }, (_, i) => String(i));
  expect(watcher.seen.map(({ decision }) => decision.roundId)).toEqual(expected);
  await publishMany('many', 1_300, 1);
  await until(() => watcher.seen.length === 1_301, 'a new decision');
  watcher.cancel();
}, 60_000);

test('a watcher that reads nothing gets the recent ones when it reads, or is cut off from new ones', async () => {
  const recent = dispatch.WatchDecisions({ includeRecent: true, runId: 'many' });
  const blind = dispatch.WatchDecisions({ runId: 'blind' });
  const seen = { recent: [] as string[], blind: [] as string[] };
  let error: ServiceError | undefined;
  recent.on('error', () => undefined);
  blind.on('error', (cause: ServiceError) => (error = cause));
  // Metadata come once the server watches for the call.
  await Promise.all([recent, blind].map((call) => new Promise((resolve) => call.on('metadata', resolve))));
  await publishMany('blind', 0, 1_000);
  await decided('blind', 999);
  recent.on('data', ({ decision }: Reply) => seen.recent.push(decision.roundId));
  blind.on('data', ({ decision }: Reply) => seen.blind.push(decision.roundId));
  await until(() => seen.recent.length === 1_301 && error !== undefined, 'both ends');
  expect(error).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: '257 decisions wait to be read' });
  expect(seen.blind.length).toBeGreaterThanOrEqual(257);
  expect(seen.blind.length).toBeLessThan(1_000);
  recent.cancel();
}, 60_000);

test('the health service answers', async () => {
  const reply = await new Promise<Reply>((resolve, reject) =>
    health.Check({}, (error, value) => (error ? reject(error) : resolve(value))),
  );
  expect(reply).toEqual({ status: 'SERVING' });
});
