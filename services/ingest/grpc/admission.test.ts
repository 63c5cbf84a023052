import { credentials, makeGenericClientConstructor, Server, status, type Metadata } from '@grpc/grpc-js';
import type { AccessGate } from '#lib/access/gate';
import { admittedCall } from '#lib/access/grpc-admission';
import { bindServer } from '#lib/grpc-bind';
import { opaqueMethod } from '#lib/opaque-method';
import { admission } from './admission';

const service = {
  submit: opaqueMethod('/roundhouse.v1.Dispatch/SubmitRound'),
  forgotten: opaqueMethod('/roundhouse.v1.Dispatch/Forgotten'),
  other: opaqueMethod('/other.v1.Other/SubmitRound'),
  check: opaqueMethod('/grpc.health.v1.Health/Check'),
};

const asked: string[] = [];
const gate = {
  admit: ({ scope }: { readonly scope: string }) =>
    Promise.resolve(asked.push(scope)).then(() => ({ tenant: 'acme', actor: 'key:acme-1' })),
} as unknown as AccessGate;

/** How each method answers a caller whom the gate takes for anything. */
test('a method that nobody gave a scope is closed, health is open', async () => {
  const server = new Server({ interceptors: [admission(gate)] });
  const answer = (_: unknown, done: (error: null, answer: Buffer) => void) => done(null, Buffer.from('open'));
  server.addService(service, {
    submit: ({ metadata }: { metadata: Metadata }, done: (error: null, answer: Buffer) => void) =>
      done(null, Buffer.from(admittedCall(metadata).tenant!)),
    forgotten: answer,
    other: answer,
    check: answer,
  });
  const port = await bindServer(server, '127.0.0.1:0');
  const Client = makeGenericClientConstructor(service, 'any');
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = (name: keyof typeof service) =>
    new Promise<string | number>((resolve) =>
      (client[name] as unknown as (...of: unknown[]) => void).call(
        client,
        Buffer.alloc(0),
        (error: { code: number } | null, answered?: Buffer) => resolve(error?.code ?? String(answered)),
      ),
    );
  const closed = status.PERMISSION_DENIED;
  expect([await call('submit'), await call('forgotten'), await call('other'), await call('check')]).toEqual([
    'acme',
    closed,
    closed,
    'open',
  ]);
  expect(asked).toEqual(['rounds:write']);
  client.close();
  server.forceShutdown();
});
