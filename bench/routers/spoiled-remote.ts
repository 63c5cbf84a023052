import { setTimeout as sleep } from 'node:timers/promises';
import { Server, status, type handleUnaryCall } from '@grpc/grpc-js';
import { Lanes } from '#lib/engine-client/lanes';
import { loadProtocol } from '#lib/engine-client/protocol';
import { bindServer } from '#lib/grpc-bind';
import { asIs, opaqueMessages } from '#lib/opaque-method';

/** What stands before a real worker and spoils it: `dead` refuses, `hung` says nothing, `slow` answers late, `failing` fails. */
export type Spoiled = 'dead' | 'hung' | 'slow' | 'failing' | 'good';

export interface SpoiledRemote {
  readonly name: string;
  readonly address: string;
  spoil(how: Spoiled): void;
  close(): void;
}

const slowByMs = 400;
const maxMessageBytes = 16 * 1024 * 1024;

/** A gRPC edge before the worker at `address`, which forwards until it is told to spoil. */
export async function spoiledRemote(name: string, address: string): Promise<SpoiledRemote> {
  const lanes = new Lanes(address, maxMessageBytes);
  const server = new Server();
  let how: Spoiled = 'good';
  let isClosed = false;
  const forward =
    (path: string): handleUnaryCall<Buffer, Buffer> =>
    async (call, callback) => {
      const isWork = path.endsWith('/ModelInfer');
      if (how === 'hung') return;
      if (how === 'failing' && isWork) return callback({ code: status.INTERNAL, details: 'it fails' });
      if (how === 'slow' && isWork) await sleep(slowByMs);
      if (isClosed) return;
      const options = { deadline: call.getDeadline() };
      const onward = lanes.makeUnaryRequest(path, asIs, asIs, call.request, call.metadata, options, callback);
      onward.once('metadata', (sent) => call.sendMetadata(sent));
      call.on('cancelled', () => onward.cancel());
    };
  const { inference } = loadProtocol();
  const methods = Object.entries(inference).filter(([, { responseStream }]) => !responseStream);
  const definition = methods.map(([method, definition]) => [method, { ...definition, ...opaqueMessages }]);
  const handlers = methods.map(([method, { path }]) => [method, forward(path)]);
  server.addService(Object.fromEntries(definition), Object.fromEntries(handlers));
  const port = await bindServer(server, '127.0.0.1:0');
  return {
    name,
    address: `127.0.0.1:${port}`,
    spoil(next) {
      how = next;
      if (next === 'dead') server.forceShutdown();
    },
    close() {
      isClosed = true;
      server.forceShutdown();
      lanes.close();
    },
  };
}
