import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import type { AccessGate } from '#lib/access/gate';
import { asIs } from '#lib/opaque-method';
import type { IngestEvents } from '../events';
import { BodyBudget } from '../read/body-budget';
import { roundhouseProto } from '../read/round-proto';
import type { Acceptance, RoundIntake } from '../round-intake';
import { GrpcApi, type GrpcApiOptions } from './server';

const { serialize } = roundhouseProto()['roundhouse.v1.Round'] as unknown as {
  serialize(round: object): Buffer;
};
const bytes = serialize({ roundId: 'r'.repeat(58) });

const gate = {
  admit: () => Promise.resolve({ tenant: 'acme', actor: 'key:acme-1' }),
  stillAdmits: () => Promise.resolve(true),
} as unknown as AccessGate;

test('a message counts in the budget of both edges until its round is done with', async () => {
  expect(bytes).toHaveLength(60); // a tag, a length and 58 letters
  const refusedAt: number[] = [];
  const bodies = new BodyBudget(100, (bytesInWork) => void refusedAt.push(bytesInWork));
  const answers: ((acceptance: Acceptance) => void)[] = [];
  let begun = () => {};
  const intake = {
    submit: () => new Promise<Acceptance>((resolve) => (answers.push(resolve), begun())),
    refused: () => undefined,
  } as unknown as RoundIntake;
  const options: Omit<GrpcApiOptions, 'cache' | 'streams'> = {
    ...{
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 1_000,
      maxCouriers: 1,
      maxOrders: 1,
      bodyTimeoutMs: 60_000,
    },
    ...{ bodies, intake, gate, tls: null, checks: {}, takeQuota: () => Promise.resolve() },
    events: {} as IngestEvents,
  };
  const api = new GrpcApi(options as GrpcApiOptions);
  const client = new Client(`127.0.0.1:${await api.listen()}`, credentials.createInsecure());
  const submit = () =>
    new Promise<ServiceError | null>((resolve) =>
      client.makeUnaryRequest('/roundhouse.v1.Dispatch/SubmitRound', asIs, asIs, bytes, resolve),
    );
  const accepted = { tenantId: 'acme', runId: 'live', roundId: 'r', shards: 0, candidates: 0, again: false };
  const answer = () => answers.pop()!(accepted as Acceptance);

  // 60 of 100 bytes are in work, another 60 have no room.
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  const first = submit();
  await isBegun;
  expect(await submit()).toMatchObject({
    code: status.UNAVAILABLE,
    details: 'INGEST_BUSY: bodies of 100 bytes are in work at once, the limit: send it again',
  });
  expect([bodies.inWork, refusedAt]).toEqual([60, [60]]);
  answer();
  expect(await first).toBeNull();
  expect(bodies.inWork).toBe(0);

  // What came over HTTP counts, too: 41 + 60 > 100.
  const other = bodies.open();
  other.take(41);
  expect(await submit()).toMatchObject({ code: status.UNAVAILABLE });
  other.release();
  begun = answer;
  expect(await submit()).toBeNull();
  client.close();
  await api.stop();
});
