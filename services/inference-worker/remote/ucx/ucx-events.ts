import { event, type defineEvents } from '#lib/telemetry';

/** Why a request to a peer went through gRPC although UCX was wanted. */
export const ucxFallbackReasons = ['not_connected', 'too_large', 'lost_in_flight'] as const;
export type UcxFallbackReason = (typeof ucxFallbackReasons)[number];

/** Why a peer's connection was refused, or ended by us. */
export const ucxRefusalReasons = [
  'network',
  'handshake',
  'token',
  'silent',
  'malformed',
  'too_large',
  'unread_answers',
] as const;
export type UcxRefusalReason = (typeof ucxRefusalReasons)[number];

export const ucxEvents = {
  /** To a peer, in the role of its client. */
  UcxOpened: event<{ peer: string }>({
    level: 'info',
    counter: { name: 'dispatch_ucx_sessions_total', help: 'UCX connections to other workers.' },
  }),
  UcxLost: event<{ peer: string; reason: string }>({
    level: 'warn',
    counter: { name: 'dispatch_ucx_losses_total', help: 'UCX connections to other workers that broke.' },
  }),
  /** The peer had said that it stops. */
  UcxEnded: event<{ peer: string }>({ level: 'info' }),
  /** gRPC carries the requests; it is tried again. */
  UcxUnavailable: event<{ peer: string; reason: string; againInMs: number }>({
    level: 'warn',
    counter: {
      name: 'dispatch_ucx_unavailable_total',
      help: 'UCX connections that could not be opened, refused handshakes included.',
    },
  }),
  UcxSent: event<{ bytes: number }>({
    level: 'trace',
    counter: { name: 'dispatch_ucx_requests_total', help: 'Requests sent to other workers over UCX.' },
  }),
  UcxFellBack: event<{ peer: string; reason: UcxFallbackReason; model: string }>({
    level: 'debug',
    labels: { reason: ucxFallbackReasons },
    counter: {
      name: 'dispatch_ucx_fallbacks_total',
      help: 'Requests to other workers sent through gRPC instead.',
    },
  }),
  /** In the role of the one that serves. */
  UcxPeerAdmitted: event<{ address: string }>({
    level: 'info',
    counter: { name: 'dispatch_ucx_peers_admitted_total', help: 'Connections of other workers.' },
  }),
  UcxPeerRefused: event<{ address: string; reason: UcxRefusalReason; detail: string }>({
    level: 'warn',
    labels: { reason: ucxRefusalReasons },
    counter: {
      name: 'dispatch_ucx_peers_refused_total',
      help: 'Connections refused, or ended for a fault of the peer.',
    },
  }),
  UcxPeerLeft: event<{ address: string; reason: string; underWay: number }>({
    level: 'info',
    counter: { name: 'dispatch_ucx_peers_left_total', help: 'Connections that the other worker ended.' },
  }),
};

/** As a worker has them among its own. */
export type UcxEvents = ReturnType<typeof defineEvents<typeof ucxEvents>>;
