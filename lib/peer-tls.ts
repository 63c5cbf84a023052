import { createPrivateKey, X509Certificate } from 'node:crypto';
import { credentials, ServerCredentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import { configError, type Setting } from './config';
import type { Fault } from '#schemas/errors';
import { readRegularFile } from './regular-file';

/** Mutual TLS between workers: each shows a certificate of one authority, and takes no other. */
export interface PeerTls {
  readonly ca: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** The name that a peer's certificate is for, where it isn't the one it is called by; empty: that one. */
  readonly name: string;
}

/** A file; empty: none. */
export function optionalFileSetting(key: string): Setting<string> {
  return {
    key,
    fallback: '',
    read: (text) =>
      text.length <= 1_000 && !text.includes('\0')
        ? { value: text }
        : { limit: 'a path of at most 1000 characters' },
  };
}

export const peerTlsSettings = {
  peerTlsCa: optionalFileSetting('ROUNDHOUSE_PEER_TLS_CA'),
  peerTlsCertificate: optionalFileSetting('ROUNDHOUSE_PEER_TLS_CERT'),
  peerTlsKey: optionalFileSetting('ROUNDHOUSE_PEER_TLS_KEY'),
  peerTlsName: optionalFileSetting('ROUNDHOUSE_PEER_TLS_NAME'),
} as const;

export interface PeerTlsFiles {
  readonly peerTlsCa: string;
  readonly peerTlsCertificate: string;
  readonly peerTlsKey: string;
  readonly peerTlsName: string;
}

function readFile(key: string, path: string, faults: Fault[]): Buffer {
  if (path === '') faults.push({ path: key, value: '', limit: 'a file: the three go together' });
  else {
    try {
      return readRegularFile(path);
    } catch {
      faults.push({ path: key, value: path, limit: 'a file that can be read' });
    }
  }
  return Buffer.alloc(0);
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** What no handshake could succeed with: it would be told of one connection after the other, without the file. */
function contentFaults(
  { peerTlsCa, peerTlsCertificate, peerTlsKey }: PeerTlsFiles,
  { ca, certificate, key }: Pick<PeerTls, 'ca' | 'certificate' | 'key'>,
): Fault[] {
  const faults: Fault[] = [];
  const check = (path: string, value: string, limit: string, read: () => unknown): void => {
    if (!isReadable(read)) faults.push({ path, value, limit });
  };
  const limit = 'a certificate in PEM';
  check('ROUNDHOUSE_PEER_TLS_CA', peerTlsCa, limit, () => new X509Certificate(ca));
  check('ROUNDHOUSE_PEER_TLS_CERT', peerTlsCertificate, limit, () => new X509Certificate(certificate));
  check('ROUNDHOUSE_PEER_TLS_KEY', peerTlsKey, 'a key in PEM, without a passphrase', () =>
    createPrivateKey(key),
  );
  if (faults.length === 0 && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    faults.push({
      path: 'ROUNDHOUSE_PEER_TLS_KEY',
      value: peerTlsKey,
      limit: `the key of ${peerTlsCertificate}`,
    });
  return faults;
}

/** null where none of the files is named. Throws CONFIG_INVALID, with every fault. */
export function readPeerTls(files: PeerTlsFiles): PeerTls | null {
  const { peerTlsCa, peerTlsCertificate, peerTlsKey, peerTlsName: name } = files;
  if (peerTlsCa === '' && peerTlsCertificate === '' && peerTlsKey === '') return null;
  const faults: Fault[] = [];
  const ca = readFile('ROUNDHOUSE_PEER_TLS_CA', peerTlsCa, faults);
  const certificate = readFile('ROUNDHOUSE_PEER_TLS_CERT', peerTlsCertificate, faults);
  const key = readFile('ROUNDHOUSE_PEER_TLS_KEY', peerTlsKey, faults);
  if (faults.length === 0) faults.push(...contentFaults(files, { ca, certificate, key }));
  if (faults.length > 0) throw configError(faults);
  return { ca, certificate, key, name };
}

/** null: in the clear. */
export function serverCredentials(tls: PeerTls | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const pair = { cert_chain: tls.certificate, private_key: tls.key };
  return ServerCredentials.createSsl(tls.ca, [pair], true);
}

/** What a client connects with; null: in the clear. */
export function grpcChannel(tls: PeerTls | null): {
  credentials: ChannelCredentials;
  options: ChannelOptions;
} {
  if (tls === null) return { credentials: credentials.createInsecure(), options: {} };
  const { ca, certificate, key, name } = tls;
  const named = name === '' ? {} : { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name };
  return { credentials: credentials.createSsl(ca, key, certificate), options: named };
}
