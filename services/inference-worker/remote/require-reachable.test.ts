import { requireReachable } from './require-reachable';

type Config = Parameters<typeof requireReachable>[0];

const config = (
  tlsCertificate: string,
  peerTlsCertificate: string,
  networks: string[] = [],
  access: Partial<Config> = {},
) =>
  ({
    ...{ tlsCertificate, peerTlsCertificate, ucxNetworks: { texts: networks } },
    ...{ accessFile: '', jwtKeys: '', ...access },
  }) as unknown as Config;

test.each([
  ['in the clear', config('', '')],
  ['TLS with a port for workers', config('a.pem', 'b.pem')],
  ['keys with a port for workers', config('', 'b.pem', [], { accessFile: 'access.json' })],
  ['TLS with a port for workers on loopback', config('a.pem', '', ['127.0.0.0/8'])],
])('%s: others reach what is announced', (_, ports) => {
  expect(() => requireReachable(ports)).not.toThrow();
});

test('TLS of callers alone is no port for other workers', () => {
  expect(() => requireReachable(config('a.pem', ''))).toThrow(
    /ROUNDHOUSE_PEER_TLS_CERT=.*ROUNDHOUSE_TLS_CERT is set/,
  );
});

test.each([
  ['accessFile', 'ROUNDHOUSE_WORKER_ACCESS_FILE'],
  ['jwtKeys', 'ROUNDHOUSE_WORKER_JWT_KEYS'],
])('a port that asks callers for a credential is none for other workers: %s', (name, key) => {
  const asking = config('', '', [], { [name]: 'a.json' });
  expect(() => requireReachable(asking)).toThrow(new RegExp(`ROUNDHOUSE_PEER_TLS_CERT=.*${key} is set`));
});
