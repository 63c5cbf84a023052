import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { asIs } from '#lib/opaque-method';
import { projectPath } from '#schemas/project-root';
import { roundBody, startIngest, type IngestBench } from './ingest-harness';

const submitPath = '/roundhouse.v1.Dispatch/SubmitRound';
const healthPath = '/grpc.health.v1.Health/Check';
const proto = loadSync(projectPath('schemas', 'proto', 'roundhouse.proto'), { longs: String });
const { serialize } = proto['roundhouse.v1.Round'] as unknown as { serialize(round: object): Buffer };

let ingest: IngestBench;
let client: Client;
beforeAll(async () => {
  ingest = await startIngest('ingest-grpc-limits', {
    ROUNDHOUSE_INGEST_MAX_BODY_BYTES: '400000',
    ROUNDHOUSE_INGEST_MAX_ORDERS: '10',
    ROUNDHOUSE_INGEST_MAX_COURIERS: '10',
  });
  client = new Client(ingest.grpc, credentials.createInsecure());
}, 120_000);
afterAll(async () => {
  client?.close();
  await ingest?.stop();
}, 60_000);

/** Null for an answer, else the refusal. */
const call = (path: string, bytes: Buffer) =>
  new Promise<ServiceError | null>((resolve) =>
    client.makeUnaryRequest(path, asIs, asIs, bytes, (error) => resolve(error)),
  );

/** Field 15 of a Round is unknown, so that a decoder skips it: a text of so many bytes. */
function padding(bytes: number): Buffer {
  const length = [(bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14];
  return Buffer.concat([Buffer.from([15 * 8 + 2, ...length]), Buffer.alloc(bytes)]);
}

// 10,000 + 128 × (10 + 10) = 12,560 values; 13,000 empty orders have 26,000 bytes, 70,000 have 140,000 > 128 KiB.
test.each([
  ['here', 13_000],
  ['in the thread of large bodies', 70_000],
])('a message of empty orders is refused before it is decoded, %s', async (_, count) => {
  const bytes = Buffer.from(
    Array<number[]>(count)
      .fill([11 * 8 + 2, 0])
      .flat(),
  );
  expect(await call(submitPath, bytes)).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: 'ROUND_TOO_LARGE: a body of more than 12560 values',
  });
});

test.each([
  ['here', 0],
  ['in the thread of large bodies', 140_000],
])('a message that is no Round is the fault of who sends it, %s', async (_, bytes) => {
  const broken = Buffer.concat([padding(bytes), Buffer.from([11 * 8 + 2, 5])]);
  expect(await call(submitPath, broken)).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: 'PAYLOAD_INVALID: the message is no Round: it is cut short',
  });
});

test('a large message is read in the thread of large bodies, and is the same round as over HTTP', async () => {
  const body = roundBody('large');
  const bytes = Buffer.concat([serialize(body), padding(140_000)]);
  expect(await call(submitPath, bytes)).toBeNull();
  expect((await ingest.manifests('large'))[0]).toMatchObject({ roundId: 'large' });
  expect((await ingest.post('/v1/rounds', body)).body).toMatchObject({ again: true });
  expect(await call(submitPath, bytes)).toBeNull();
});

test('health takes 4 KiB of a caller whom nobody knows', async () => {
  expect(await call(healthPath, Buffer.alloc(4_096))).toBeNull();
  expect(await call(healthPath, Buffer.alloc(4_097))).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: 'more than 4096 bytes',
  });
});
