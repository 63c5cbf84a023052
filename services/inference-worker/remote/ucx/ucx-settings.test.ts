import { networksOf } from './networks';
import { requireTlsBeyondLoopback } from './ucx-settings';

const config = (networks: string[], peerTlsCertificate = '') => ({
  ucxNetworks: networksOf(networks)!,
  peerTlsCertificate,
});

describe('requireTlsBeyondLoopback', () => {
  it('lets loopback pass without TLS, and everything with it', () => {
    requireTlsBeyondLoopback(config(['127.0.0.0/8']), '127.0.0.1');
    requireTlsBeyondLoopback(config([]), '0.0.0.0');
    requireTlsBeyondLoopback(config(['10.0.0.0/8'], 'cert.pem'), '0.0.0.0');
  });

  it('refuses other networks without TLS', () => {
    const read = () => requireTlsBeyondLoopback(config(['10.0.0.0/8']), '127.0.0.1');
    expect(read).toThrow('ROUNDHOUSE_UCX_NETWORKS');
  });

  it('refuses to listen for others without TLS', () => {
    const read = () => requireTlsBeyondLoopback(config(['127.0.0.0/8']), '0.0.0.0');
    expect(read).toThrow('ROUNDHOUSE_BIND_HOST');
  });
});
