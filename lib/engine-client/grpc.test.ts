import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { UnixMs } from '#schemas/brands';
import { encodeInferRequest } from './infer-messages';
import { connectEngine } from './grpc';

const identity = (bytes: Buffer): Buffer => bytes;

/** Answers every ModelInfer with the bytes of the request; only that a call gets through matters here. */
async function echoServer(): Promise<{ address: string; stop(): void }> {
  const server = new Server();
  const method = {
    path: '/inference.GRPCInferenceService/ModelInfer',
    requestStream: false,
    responseStream: false,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  } as const;
  server.addService({ ModelInfer: method }, {
    ModelInfer: (_call: unknown, done: (error: null, answer: Buffer) => void) =>
      done(null, encodeInferRequest({ model: 'm', version: '1', id: '', tensors: [] })),
  } as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

// grpc-js used to throw "Deadline is too far in the future" outside of any promise: it ended the worker.
test.each([2 ** 52 - 1, Number.MAX_SAFE_INTEGER, Date.now() + 2 ** 31, Date.now() + 60_000])(
  'a deadline of %d is one that can be waited for',
  async (deadline) => {
    const { address, stop } = await echoServer();
    const engine = connectEngine({ address });
    closers.push(() => engine.close(), stop);
    const request = { model: 'm', version: '1', requestId: 'r', inputs: [] };
    const answer = await engine.infer(request, deadline as UnixMs);
    expect([answer.model, answer.outputs]).toEqual(['m', []]);
  },
);
