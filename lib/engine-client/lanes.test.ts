import { Metadata, Server, type ServerUnaryCall } from '@grpc/grpc-js';
import { bindServer } from '../grpc-bind';
import { asIs, opaqueMethod } from '../opaque-method';
import { Lanes } from './lanes';

const path = '/test.Echo/Call';
const empty = Buffer.alloc(0);

/** Answers what has bytes, and leaves the rest open. */
async function startServer(): Promise<{ server: Server; address: string }> {
  const server = new Server();
  const call = (
    { request }: ServerUnaryCall<Buffer, Buffer>,
    answer: (error: null, bytes: Buffer) => void,
  ) => {
    if (request.length > 0) answer(null, request);
  };
  server.addService({ call: opaqueMethod(path) }, { call });
  return { server, address: `127.0.0.1:${await bindServer(server, '127.0.0.1:0')}` };
}

function begin(lanes: Lanes, bytes: Buffer) {
  let cancel = (): void => undefined;
  const code = new Promise<number>((resolve) => {
    const call = lanes.makeUnaryRequest(path, asIs, asIs, bytes, new Metadata(), {}, (error) =>
      resolve(error === null ? 0 : error.code),
    );
    cancel = () => call.cancel();
  });
  return { code, cancel };
}

test('900 calls that could be reset fill a connection; those that end well leave room', async () => {
  const { server, address } = await startServer();
  const lanes = new Lanes(address, 1_000);
  for (let i = 0; i < 20; i++) {
    const codes = await Promise.all(Array.from({ length: 100 }, () => begin(lanes, Buffer.from('x')).code));
    expect(codes).toEqual(new Array(100).fill(0));
  }
  expect(lanes.size).toBe(1);
  const open = Array.from({ length: 900 }, () => begin(lanes, empty));
  expect(lanes.size).toBe(1);
  const bystander = begin(lanes, empty);
  expect(lanes.size).toBe(2);
  for (const { cancel } of open) cancel();
  // 1: CANCELLED. The first connection is spent with them, and closed.
  expect(await Promise.all(open.map(({ code }) => code))).toEqual(new Array(900).fill(1));
  expect(lanes.size).toBe(1);
  expect(await begin(lanes, Buffer.from('x')).code).toBe(0);
  bystander.cancel();
  expect(await bystander.code).toBe(1);
  lanes.close();
  server.forceShutdown();
}, 60_000);
