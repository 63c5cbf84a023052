import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Client, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { grpcChannel, type PeerTls } from '#lib/peer-tls';
import type { UcxOffer } from './agreement';
import { peerProtocol, type HandshakeRequest, type HandshakeResponse } from './handshake-protocol';
import { keyBytes, tokenBytes } from './peer-tokens';

/** Where a worker admits us, and what we show it. */
export interface Invitation {
  /** Numeric. */
  readonly host: string;
  readonly port: number;
  readonly token: Buffer;
  readonly key: Buffer;
  readonly maxMessageBytes: number;
}

/** The other worker can be spoken to, but not over UCX. */
export class UcxRefused extends Error {}

async function numeric(host: string): Promise<string> {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? (await lookup(bare)).address : bare;
}

const hostOf = (address: string): string => address.slice(0, address.lastIndexOf(':'));

function call(client: Client, request: HandshakeRequest, timeoutMs: number): Promise<HandshakeResponse> {
  const { path, requestSerialize, responseDeserialize } = peerProtocol().Handshake;
  const deadline = Date.now() + timeoutMs;
  return new Promise((resolve, reject) => {
    const onAnswer = (error: ServiceError | null, answer?: HandshakeResponse): void => {
      if (error === null) resolve(answer!);
      else reject(error.code === status.UNIMPLEMENTED ? new UcxRefused('it knows no handshake') : error);
    };
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      new Metadata(),
      { deadline },
      onAnswer,
    );
  });
}

function requireGood({ token, key, port }: HandshakeResponse): void {
  const isGood = token.length === tokenBytes && key.length === keyBytes && port > 0 && port < 65_536;
  if (!isGood) throw new UcxRefused('an answer to the handshake that can’t be used');
}

/** Rejects with UcxRefused, or with what gRPC says. `address`: host:port of the other worker's peer port. */
export async function askHandshake(
  address: string,
  tls: PeerTls | null,
  { protocol, version, transports }: UcxOffer,
  timeoutMs: number,
): Promise<Invitation> {
  const { credentials, options } = grpcChannel(tls);
  const client = new Client(address, credentials, { ...options, 'grpc.enable_http_proxy': 0 });
  try {
    const response = await call(client, { protocol, ucx_version: version, transports }, timeoutMs);
    if (response.refusal !== '') throw new UcxRefused(response.refusal);
    requireGood(response);
    const { port, token, key, max_message_bytes: maxMessageBytes } = response;
    const host = await numeric(response.host === '' ? hostOf(address) : response.host);
    return { host, port, token: Buffer.from(token), key: Buffer.from(key), maxMessageBytes };
  } finally {
    client.close();
  }
}
