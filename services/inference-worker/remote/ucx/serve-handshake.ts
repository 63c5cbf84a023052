import type { handleUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import { whyNotUcx, type UcxOffer } from './agreement';
import { refused, type HandshakeRequest, type HandshakeResponse } from './handshake-protocol';
import type { PeerTokens } from './peer-tokens';

export interface HandshakeSide {
  readonly offer: UcxOffer;
  readonly tokens: PeerTokens;
  /** Empty: where the call went to. */
  readonly host: string;
  readonly port: number;
  readonly maxMessageBytes: number;
  onRefused(reason: string): void;
}

/** Asked for every handshake; `whyNone` is said in place of UCX where this worker doesn't listen. */
export function handshakeHandlers(
  current: () => HandshakeSide | { readonly whyNone: string },
): UntypedServiceImplementation {
  const Handshake: handleUnaryCall<HandshakeRequest, HandshakeResponse> = ({ request }, callback) => {
    const side = current();
    if ('whyNone' in side) return callback(null, refused(side.whyNone));
    const { protocol, ucx_version: version, transports } = request;
    const reason = whyNotUcx(side.offer, { protocol, version, transports });
    if (reason !== null) {
      side.onRefused(reason);
      return callback(null, refused(reason));
    }
    const { host, port, maxMessageBytes } = side;
    callback(null, { refusal: '', host, port, ...side.tokens.issue(), max_message_bytes: maxMessageBytes });
  };
  return { Handshake } as UntypedServiceImplementation;
}
