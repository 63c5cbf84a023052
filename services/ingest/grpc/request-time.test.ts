import { Client, credentials, Server, status, type ServiceError } from '@grpc/grpc-js';
import { bindServer } from '#lib/grpc-bind';
import { asIs, opaqueMethod } from '#lib/opaque-method';
import { requestTime } from './request-time';

const path = '/any.v1.Any/Ask';

async function serve(timeoutMs: number, answerAfterMs = 0) {
  const server = new Server({ interceptors: [requestTime(timeoutMs)] });
  const answer = (_: unknown, done: (error: null, answer: Buffer) => void) =>
    setTimeout(() => done(null, Buffer.from('answered')), answerAfterMs);
  server.addService({ ask: opaqueMethod(path) }, { ask: answer });
  const port = await bindServer(server, '127.0.0.1:0');
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const stop = () => (client.close(), server.forceShutdown());
  return { client, stop };
}

test('a request that does not come is ended, also where half of it came', async () => {
  const { client, stop } = await serve(100);
  for (const isSent of [false, true]) {
    const ended = await new Promise<ServiceError | null>((resolve) => {
      const call = client.makeClientStreamRequest(path, asIs, asIs, (error) => resolve(error));
      if (isSent) call.write(Buffer.from('a message, and no end of the request'));
    });
    expect(ended).toMatchObject({
      code: status.DEADLINE_EXCEEDED,
      details: 'the request did not come in 100 ms',
    });
  }
  stop();
});

test('an answer may take longer than the request', async () => {
  const { client, stop } = await serve(1_000, 1_300);
  const answer = await new Promise((resolve, reject) =>
    client.makeUnaryRequest(path, asIs, asIs, Buffer.from('all of it'), (error, answered) =>
      error === null ? resolve(String(answered)) : reject(error),
    ),
  );
  expect(answer).toBe('answered');
  stop();
});
