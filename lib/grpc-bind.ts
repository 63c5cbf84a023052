import type { Server } from '@grpc/grpc-js';
import { ServerCredentials } from '@grpc/grpc-js';
import { RoundhouseError } from '#schemas/errors';

/** Listens and resolves to the port; rejects with PORT_IN_USE, or CONFIG_INVALID where we can't listen there. */
export function bindServer(
  server: Server,
  address: string,
  credentials = ServerCredentials.createInsecure(),
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (cause, port) => {
      if (cause === null) return resolve(port);
      // grpc-js tells the reason only in its text.
      const isTaken = cause.message.includes('EADDRINUSE');
      const message = isTaken
        ? `${address} is in use`
        : `cannot listen on ${address}: ${cause.message} (the host is ROUNDHOUSE_BIND_HOST)`;
      reject(new RoundhouseError(isTaken ? 'PORT_IN_USE' : 'CONFIG_INVALID', message, [], { cause }));
    });
  });
}

/** `host:port`, with brackets around an IPv6 address. */
export function grpcAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
