import type { IncomingMessage } from 'node:http';
import type { RoundhouseError } from '#schemas/errors';
import { clientChannel, clientTlsSettings } from './client-tls';
import { peerTlsSettings, readPeerTls } from './peer-tls';
import { loadConfig } from './config';
import { actorOf, actorOfSubject, readServerTls } from './server-tls';
import { serverTlsSettings } from './server-tls-settings';

function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    const { code, faults } = error as RoundhouseError;
    expect(code).toBe('CONFIG_INVALID');
    return faults.map(({ path, limit }) => `${path}: ${limit}`);
  }
  return [];
}

const server = (env: Record<string, string>) => () => readServerTls(loadConfig(env, serverTlsSettings));
const client =
  (env: Record<string, string>, ...urls: string[]) =>
  () =>
    clientChannel(loadConfig(env, clientTlsSettings), urls);

test('no certificate is no TLS', () => {
  expect(server({})()).toBeNull();
  expect(client({})().credentials._isSecure()).toBe(false);
});

test.each<[Record<string, string>, string[]]>([
  [
    { ROUNDHOUSE_TLS_CERT: __filename },
    ['ROUNDHOUSE_TLS_KEY: a file: a certificate and its key go together'],
  ],
  [
    { ROUNDHOUSE_TLS_CERT: __filename, ROUNDHOUSE_TLS_KEY: __filename },
    ['ROUNDHOUSE_TLS_CERT: a certificate in PEM', 'ROUNDHOUSE_TLS_KEY: a key in PEM, without a passphrase'],
  ],
  [
    { ROUNDHOUSE_TLS_CLIENT_CA: __filename },
    [
      'ROUNDHOUSE_TLS_CLIENT_CA: a certificate in PEM',
      'ROUNDHOUSE_TLS_CLIENT_CA: only with ROUNDHOUSE_TLS_CERT and _KEY',
    ],
  ],
  [
    { ROUNDHOUSE_TLS_CERT: '/nowhere/a', ROUNDHOUSE_TLS_KEY: '/nowhere/b' },
    ['ROUNDHOUSE_TLS_CERT: a file that can be read', 'ROUNDHOUSE_TLS_KEY: a file that can be read'],
  ],
])('%j is refused', (env, faults) => {
  expect(faultsOf(server(env))).toEqual(faults);
});

test('whoever is called must be known by an authority, where there is a certificate to show', () => {
  const env = { ROUNDHOUSE_CLIENT_TLS_CERT: __filename };
  expect(faultsOf(client(env))).toEqual([
    'ROUNDHOUSE_CLIENT_TLS_KEY: a file: a certificate and its key go together',
  ]);
});

test('a name to check is no use in the clear: nothing falls back to it', () => {
  const limit = 'the authority of whom we call, since there is a certificate to show or a name to check';
  expect(faultsOf(client({ ROUNDHOUSE_CLIENT_TLS_NAME: 'worker' }))).toEqual([
    `ROUNDHOUSE_CLIENT_TLS_CA: ${limit}`,
  ]);
  const peer = () => readPeerTls(loadConfig({ ROUNDHOUSE_PEER_TLS_NAME: 'worker' }, peerTlsSettings));
  expect(faultsOf(peer)).toEqual(
    ['CA', 'CERT', 'KEY'].map((file) => `ROUNDHOUSE_PEER_TLS_${file}: a file: the three go together`),
  );
});

test('a caller is known by the common name of a certificate that was verified', () => {
  const request = (authorized: boolean, shown: object | null = {}) =>
    ({
      socket: {
        authorized,
        getPeerX509Certificate: () => shown ?? undefined,
        getPeerCertificate: () => ({ subject: { CN: 'ops' } }),
      },
    }) as unknown as IncomingMessage;
  expect([actorOf(request(true)), actorOf(request(false))]).toEqual(['certificate:ops', 'anyone']);
  // A resumed session that began without a certificate.
  expect(actorOf(request(true, null))).toBe('anyone');
  expect(actorOf({ socket: {} } as IncomingMessage)).toBe('anyone');
  expect([actorOfSubject({}), actorOfSubject({ CN: ['a', 'b'] })]).toEqual([
    'certificate:unnamed',
    'certificate:a',
  ]);
});

test('a credential is sent in the clear to this machine alone', () => {
  const env = { ROUNDHOUSE_CLIENT_CREDENTIAL: 'rh_ops_hunter2' };
  expect(client(env, '127.0.0.1:8001', 'localhost:8001', '[::1]:8001')().credential?.reveal()).toBe(
    'rh_ops_hunter2',
  );
  const limit =
    'an authority, since worker:8001 is beyond this machine and would be sent the credential in the clear';
  expect(faultsOf(client(env, '127.0.0.1:8001', 'worker:8001'))).toEqual([
    `ROUNDHOUSE_CLIENT_TLS_CA: ${limit}`,
  ]);
  expect(faultsOf(client({ ...env, ROUNDHOUSE_CLIENT_CREDENTIAL_FILE: '/nowhere/key' }))).toEqual([
    'ROUNDHOUSE_CLIENT_CREDENTIAL_FILE: not together with ROUNDHOUSE_CLIENT_CREDENTIAL',
    'ROUNDHOUSE_CLIENT_CREDENTIAL_FILE: a file that can be read',
  ]);
});
