import { dirname } from 'node:path';
import { Server } from '@grpc/grpc-js';
import { loadProtocol } from '#lib/engine-client/protocol';
import { makeFolder } from '#lib/make-folder';
import { admissionHandlers } from './admission-service';
import { healthHandlers } from './health-service';
import { inferenceDefinition, inferenceHandlers, type EngineParts } from './inference-service';
import { bindSocket, closeServer } from './socket-server';

export interface ServedEngine {
  /** Lets running calls end, for a while. */
  close(): Promise<void>;
}

/** The engine's services over gRPC, on a Unix socket. */
export async function serveEngine(
  parts: EngineParts,
  socket: string,
  { maxMessageBytes, backends }: { readonly maxMessageBytes: number; readonly backends: string },
): Promise<ServedEngine> {
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
  });
  const stopping = new AbortController();
  server.addService(inferenceDefinition(), inferenceHandlers(parts));
  server.addService(loadProtocol().health, healthHandlers(parts.models, stopping.signal));
  server.addService(loadProtocol().engine, admissionHandlers(parts.triton, backends));
  makeFolder(dirname(socket));
  await bindSocket(server, socket);
  return {
    close() {
      stopping.abort();
      return closeServer(server);
    },
  };
}
