import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { projectPath } from '#schemas/project-root';

export interface HandshakeRequest {
  readonly protocol: number;
  readonly ucx_version: string;
  readonly transports: readonly string[];
}

export interface HandshakeResponse {
  readonly refusal: string;
  readonly host: string;
  readonly port: number;
  readonly token: Buffer;
  readonly key: Buffer;
  readonly max_message_bytes: number;
}

type Handshake = MethodDefinition<HandshakeRequest, HandshakeResponse>;
export type PeerProtocol = ServiceDefinition & { readonly Handshake: Handshake };

let loaded: PeerProtocol | undefined;

export function peerProtocol(): PeerProtocol {
  if (loaded !== undefined) return loaded;
  const options = { keepCase: true, longs: Number, defaults: true };
  const definitions = loadSync(projectPath('schemas', 'proto', 'peer.proto'), options);
  loaded = definitions['roundhouse.peer.v1.Peer'] as unknown as PeerProtocol;
  return loaded;
}

export const refused = (refusal: string): HandshakeResponse => ({
  refusal,
  host: '',
  port: 0,
  token: Buffer.alloc(0),
  key: Buffer.alloc(0),
  max_message_bytes: 0,
});
