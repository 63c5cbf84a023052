import { requireReachable } from './require-reachable';

type Config = Parameters<typeof requireReachable>[0];

const config = (tlsCertificate: string, peerTlsCertificate: string, networks: string[] = []) =>
  ({ tlsCertificate, peerTlsCertificate, ucxNetworks: { texts: networks } }) as unknown as Config;

test.each([
  ['in the clear', config('', '')],
  ['TLS with a port for workers', config('a.pem', 'b.pem')],
  ['TLS with a port for workers on loopback', config('a.pem', '', ['127.0.0.0/8'])],
])('%s: others reach what is announced', (_, ports) => {
  expect(() => requireReachable(ports)).not.toThrow();
});

test('TLS of callers alone is no port for other workers', () => {
  expect(() => requireReachable(config('a.pem', ''))).toThrow(
    /ROUNDHOUSE_PEER_TLS_CERT=.*ROUNDHOUSE_TLS_CERT is set/,
  );
});
