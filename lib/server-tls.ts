import { X509Certificate } from 'node:crypto';
import {
  createServer as createPlain,
  type IncomingMessage,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Fault } from '#schemas/errors';
import { configError } from './config-error';
import type { MetricsRegistry } from './metrics/registry';
import type { ServerTlsConfig } from './server-tls-settings';
import { followTlsFiles, type FollowedTls } from './followed-tls';

/**
 * What this process shows on all its ports, and whose certificates callers have to show: those of now, so whoever keeps
 * them listens.
 */
export interface ServerTls {
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** null: callers show none, as long as the process runs. */
  readonly clientCa: Buffer | null;
  onChange(listener: () => void): void;
}

/** What was opened has a pair. */
export class OpenedServerTls implements ServerTls {
  constructor(protected readonly opened: FollowedTls) {}

  get certificate(): Buffer {
    return this.opened.pair!.certificate;
  }

  get key(): Buffer {
    return this.opened.pair!.key;
  }

  get clientCa(): Buffer | null {
    return this.opened.ca;
  }

  onChange(listener: () => void): void {
    this.opened.onChange(listener);
  }
}

/** null where no certificate is named. Throws CONFIG_INVALID, with every fault. */
export function readServerTls(config: ServerTlsConfig): ServerTls | null {
  const faults: Fault[] = [];
  const { tlsCertificate, tlsKey, tlsClientCa } = config;
  const opened = followTlsFiles(
    {
      ca: { key: 'ROUNDHOUSE_TLS_CLIENT_CA', path: tlsClientCa },
      certificate: { key: 'ROUNDHOUSE_TLS_CERT', path: tlsCertificate },
      key: { key: 'ROUNDHOUSE_TLS_KEY', path: tlsKey },
    },
    faults,
  );
  if (tlsClientCa !== '' && tlsCertificate === '') {
    const limit = 'only with ROUNDHOUSE_TLS_CERT and _KEY';
    faults.push({ path: 'ROUNDHOUSE_TLS_CLIENT_CA', value: tlsClientCa, limit });
  }
  if (faults.length > 0) throw configError(faults);
  return opened.pair === null ? null : new OpenedServerTls(opened);
}

/** When the certificate ends, Unix seconds, as a gauge; nothing without one. */
export function watchCertificate(registry: Pick<MetricsRegistry, 'observed'>, tls: ServerTls | null): void {
  if (tls === null) return;
  const endOf = (): number => Date.parse(new X509Certificate(tls.certificate).validTo) / 1_000;
  let end = endOf();
  tls.onChange(() => (end = endOf()));
  registry.observed(
    'dispatch_tls_certificate_end_timestamp_seconds',
    "When the certificate of the service's ports ends; only with TLS.",
    () => end,
  );
}

/**
 * `required`: no connection without a certificate, where there is an authority for them. `asked`: the handler looks
 * with `isVerified`, since probes of health have none. `none`: nobody is asked.
 */
export type ClientCertificates = 'required' | 'asked' | 'none';

/** HTTP, or HTTPS where there is a certificate. */
export function createWebServer(
  tls: ServerTls | null,
  certificates: ClientCertificates,
  options: ServerOptions = {},
): Server {
  if (tls === null) return createPlain(options);
  const isAsked = certificates !== 'none' && tls.clientCa !== null;
  const context = () => ({
    minVersion: 'TLSv1.2' as const,
    cert: tls.certificate,
    key: tls.key,
    ...(isAsked && { ca: tls.clientCa! }),
  });
  const server = createSecure({
    ...options,
    ...context(),
    handshakeTimeout: 10_000,
    ...(isAsked && { requestCert: true, rejectUnauthorized: certificates === 'required' }),
  });
  tls.onChange(() => server.setSecureContext(context()));
  return server as unknown as Server;
}

/**
 * Whether the caller has shown a certificate of the authority. Node takes a resumed TLS 1.3 session for authorized also
 * where it began without a certificate, so the certificate itself has to be there.
 */
export function isVerified({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
  const { authorized, getPeerX509Certificate } = socket as Partial<TLSSocket>;
  return authorized === true && getPeerX509Certificate?.call(socket as TLSSocket) !== undefined;
}

/** `certificate:NAME` of the caller, or `anyone`. */
export function actorOf(request: IncomingMessage): string {
  if (!isVerified(request)) return 'anyone';
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  return actorOfSubject(subject);
}

export function actorOfSubject(subject: { readonly CN?: string | string[] } | undefined): string {
  const name = subject?.CN;
  return `certificate:${(Array.isArray(name) ? name[0] : name) ?? 'unnamed'}`;
}
