import type { Server } from '@grpc/grpc-js';
import { ServerCredentials } from '@grpc/grpc-js';
import { listenFault } from './listen-fault';

/**
 * Listens and resolves to the port; rejects with PORT_IN_USE, or CONFIG_INVALID where we can't listen there. `portKey`:
 * the variable that names the port.
 */
export function bindServer(
  server: Server,
  address: string,
  credentials = ServerCredentials.createInsecure(),
  portKey: string | null = null,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (cause, port) => {
      if (cause === null) return resolve(port);
      // grpc-js tells the reason only in its text.
      const [code = cause.message] = /\b(EADDRINUSE|EACCES)\b/.exec(cause.message) ?? [];
      reject(listenFault(address, code, portKey, cause));
    });
  });
}
