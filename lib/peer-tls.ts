import { credentials, experimental, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import type { Fault } from '#schemas/errors';
import { configError } from './config-error';
import { followTlsFiles, type FollowedTls } from './followed-tls';
import { OpenedServerTls, type ServerTls } from './server-tls';
import { optionalFileSetting, optionalNameSetting } from './settings';
import { TlsProvider } from './tls-provider';

/** Mutual TLS between workers: each shows a certificate of one authority, and takes no other. */
export interface PeerTls extends ServerTls {
  readonly ca: Buffer;
  /** The name that a peer's certificate is for, where it isn't the one it is called by; empty: that one. */
  readonly name: string;
  /** For connections that we make. */
  readonly provider: TlsProvider;
}

export const peerTlsSettings = {
  peerTlsCa: optionalFileSetting('ROUNDHOUSE_PEER_TLS_CA'),
  peerTlsCertificate: optionalFileSetting('ROUNDHOUSE_PEER_TLS_CERT'),
  peerTlsKey: optionalFileSetting('ROUNDHOUSE_PEER_TLS_KEY'),
  peerTlsName: optionalNameSetting('ROUNDHOUSE_PEER_TLS_NAME'),
} as const;

export interface PeerTlsFiles {
  readonly peerTlsCa: string;
  readonly peerTlsCertificate: string;
  readonly peerTlsKey: string;
  readonly peerTlsName: string;
}

class OpenedPeerTls extends OpenedServerTls implements PeerTls {
  readonly provider = new TlsProvider(this);

  constructor(
    opened: FollowedTls,
    readonly name: string,
  ) {
    super(opened);
  }

  get ca(): Buffer {
    return this.opened.ca!;
  }
}

/** null where nothing is set. Throws CONFIG_INVALID, with every fault. */
export function readPeerTls(files: PeerTlsFiles): PeerTls | null {
  const named = {
    ca: { key: 'ROUNDHOUSE_PEER_TLS_CA', path: files.peerTlsCa },
    certificate: { key: 'ROUNDHOUSE_PEER_TLS_CERT', path: files.peerTlsCertificate },
    key: { key: 'ROUNDHOUSE_PEER_TLS_KEY', path: files.peerTlsKey },
  };
  const all = Object.values(named);
  if (all.every(({ path }) => path === '') && files.peerTlsName === '') return null;
  const faults: Fault[] = all
    .filter(({ path }) => path === '')
    .map(({ key }) => ({ path: key, value: '', limit: 'a file: the three go together' }));
  if (faults.length > 0) throw configError(faults);
  const opened = followTlsFiles(named, faults);
  if (faults.length > 0) throw configError(faults);
  return new OpenedPeerTls(opened, files.peerTlsName);
}

/** What a client connects with; null: in the clear. */
export function grpcChannel(tls: PeerTls | null): {
  credentials: ChannelCredentials;
  options: ChannelOptions;
} {
  if (tls === null) return { credentials: credentials.createInsecure(), options: {} };
  const { name, provider } = tls;
  const named = name === '' ? {} : { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name };
  const shown = experimental.createCertificateProviderChannelCredentials(provider, provider);
  return { credentials: shown, options: named };
}
