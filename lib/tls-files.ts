import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Fault } from '#schemas/errors';
import { readRegularFile } from './regular-file';

/** The environment key that names a file, and the file. */
export interface NamedFile {
  readonly key: string;
  readonly path: string;
}

function readTlsFile({ key, path }: NamedFile, faults: Fault[]): Buffer {
  try {
    return readRegularFile(path);
  } catch {
    faults.push({ path: key, value: path, limit: 'a file that can be read' });
    return Buffer.alloc(0);
  }
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const certificateBegin = /(?=-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----)/;

/** Of a chain or a bundle all: one that is cut off would be left out without a word. Throws where one can't be read. */
function readCertificates(bytes: Buffer): void {
  const parts = bytes.toString('latin1').split(certificateBegin);
  const certificates = parts.filter((part) => part.search(certificateBegin) === 0);
  if (certificates.length === 0) throw new Error('no certificate');
  for (const certificate of certificates) new X509Certificate(certificate);
}

function checkCertificate({ key, path }: NamedFile, bytes: Buffer, faults: Fault[]): void {
  if (isReadable(() => readCertificates(bytes))) return;
  faults.push({ path: key, value: path, limit: 'a certificate in PEM' });
}

function checkKey({ key, path }: NamedFile, bytes: Buffer, faults: Fault[]): void {
  if (isReadable(() => createPrivateKey(bytes))) return;
  faults.push({ path: key, value: path, limit: 'a key in PEM, without a passphrase' });
}

/** Both are readable. */
function checkPair(
  certificate: NamedFile & { readonly bytes: Buffer },
  key: NamedFile & { readonly bytes: Buffer },
  faults: Fault[],
): void {
  if (new X509Certificate(certificate.bytes).checkPrivateKey(createPrivateKey(key.bytes))) return;
  faults.push({ path: key.key, value: key.path, limit: `the key of ${certificate.path}` });
}

/** All are readable; this is what a port or a connection will be made of. */
function checkContext(certificate: NamedFile, { ca, pair }: TlsContents, faults: Fault[]): void {
  const shown = pair === null ? {} : { cert: pair.certificate, key: pair.key };
  if (isReadable(() => createSecureContext({ ...(ca !== null && { ca }), ...shown }))) return;
  const { key, path } = certificate;
  faults.push({ path: key, value: path, limit: 'a certificate and key that TLS takes (a key too short?)' });
}

export interface TlsFiles {
  readonly ca: NamedFile;
  readonly certificate: NamedFile;
  readonly key: NamedFile;
}

export interface TlsContents {
  /** null: the authorities that the system trusts. */
  readonly ca: Buffer | null;
  /** null: nothing to show. */
  readonly pair: { readonly certificate: Buffer; readonly key: Buffer } | null;
}

/**
 * What no handshake could succeed with becomes a fault here: it would be told of one connection after the other,
 * without the file. A path that is empty names no file; a certificate and its key go together.
 */
export function readTlsFiles({ ca, certificate, key }: TlsFiles, faults: Fault[]): TlsContents {
  const before = faults.length;
  const authority = ca.path === '' ? null : readTlsFile(ca, faults);
  const hasPair = certificate.path !== '' || key.path !== '';
  const [shown, secret] = [certificate, key].map((file) => {
    if (!hasPair) return null;
    if (file.path !== '') return readTlsFile(file, faults);
    faults.push({ path: file.key, value: '', limit: 'a file: a certificate and its key go together' });
    return null;
  });
  if (faults.length > before) return { ca: null, pair: null };
  if (authority !== null) checkCertificate(ca, authority, faults);
  if (!shown || !secret) return { ca: authority, pair: null };
  checkCertificate(certificate, shown, faults);
  checkKey(key, secret, faults);
  if (faults.length === before)
    checkPair({ ...certificate, bytes: shown }, { ...key, bytes: secret }, faults);
  const contents = { ca: authority, pair: { certificate: shown, key: secret } };
  if (faults.length === before) checkContext(certificate, contents, faults);
  return contents;
}
