import { ServerCredentials } from '@grpc/grpc-js';
import type { ServerTls } from './server-tls';

/** null: in the clear. With a client authority a caller without a certificate of it gets no connection. */
export function grpcServerCredentials(tls: ServerTls | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const pair = { cert_chain: tls.certificate, private_key: tls.key };
  return ServerCredentials.createSsl(tls.clientCa, [pair], tls.clientCa !== null);
}
