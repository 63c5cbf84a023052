import { Server } from '@grpc/grpc-js';
import type { UnixMs } from '#schemas/brands';
import { bindServer } from '../grpc-bind';
import { encodeInferRequest } from './infer-messages';
import { opaqueMethod } from '../opaque-method';
import { connectEngine } from './grpc';

/** Answers every ModelInfer with the bytes of the request; only that a call gets through matters here. */
async function echoServer(): Promise<{ address: string; stop(): void }> {
  const server = new Server();
  const method = opaqueMethod('/inference.GRPCInferenceService/ModelInfer');
  server.addService({ ModelInfer: method }, {
    ModelInfer: (_call: unknown, done: (error: null, answer: Buffer) => void) =>
      done(null, encodeInferRequest({ model: 'm', version: '1', id: '', tensors: [] })),
  } as never);
  const port = await bindServer(server, '127.0.0.1:0');
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
