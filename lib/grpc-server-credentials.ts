import type { SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import type { ServerTls } from './server-tls';

/** What its own certificate providers call, and what its type keeps to subclasses. */
interface Renewed {
  updateSecureContextOptions(options: SecureContextOptions): void;
}

/** null: in the clear. With a client authority a caller without a certificate of it gets no connection. */
export function grpcServerCredentials(tls: ServerTls | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const pair = { cert_chain: tls.certificate, private_key: tls.key };
  const made = ServerCredentials.createSsl(tls.clientCa, [pair], tls.clientCa !== null);
  tls.onChange(() =>
    (made as unknown as Renewed).updateSecureContextOptions({
      ...(tls.clientCa !== null && { ca: tls.clientCa }),
      cert: [tls.certificate],
      key: [tls.key],
    }),
  );
  return made;
}
