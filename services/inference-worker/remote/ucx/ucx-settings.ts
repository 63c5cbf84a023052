import { configError, textSetting, portSetting, type ConfigOf } from '#lib/config';
import { peerTlsSettings } from '#lib/peer-tls';
import { networksOf, networksSetting, areLoopback } from './networks';

const list = {
  default: '',
  pattern: /^[\w:^,./-]{0,500}$/,
  limit: 'names separated by commas, as UCX has them',
} as const;

/** Of the port that other workers speak to, and of UCX between workers (docs/ucx.md). */
export const peerSettings = {
  /** The inference protocol and the handshake for other workers; open where TLS or networks of UCX are set. */
  peerPort: portSetting('ROUNDHOUSE_WORKER_PEER_PORT', 8003),
  ...peerTlsSettings,
  /** From where, and over which, UCX is spoken; empty: not at all. */
  ucxNetworks: networksSetting('ROUNDHOUSE_UCX_NETWORKS'),
  /** 0: any free port; the handshake says which. */
  ucxPort: portSetting('ROUNDHOUSE_UCX_PORT', 0),
  /** UCX_TLS; empty: what leaves the machine, and no memory of GPUs. */
  ucxTransports: textSetting('ROUNDHOUSE_UCX_TRANSPORTS', list),
  /** UCX_NET_DEVICES; empty: the interfaces in the networks. */
  ucxDevices: textSetting('ROUNDHOUSE_UCX_DEVICES', list),
  toolchainDir: textSetting('ROUNDHOUSE_TOOLCHAIN_DIR', { default: '.roundhouse/toolchain' }),
} as const;

export type PeerConfig = ConfigOf<typeof peerSettings>;

/** Whether other workers are spoken to and listened to at all. */
export function isPeerPortOpen({ peerTlsCertificate, ucxNetworks }: PeerConfig): boolean {
  return peerTlsCertificate !== '' || ucxNetworks.texts.length > 0;
}

/** Throws CONFIG_INVALID where what is secret would travel in the clear to another machine. */
export function requireTlsBeyondLoopback(
  config: Pick<PeerConfig, 'peerTlsCertificate' | 'ucxNetworks'>,
  bindHost: string,
): void {
  if (config.peerTlsCertificate !== '') return;
  const limit = 'without ROUNDHOUSE_PEER_TLS_CA, _CERT and _KEY only loopback';
  const isBoundHere = bindHost === 'localhost' || isLoopbackAddress(bindHost);
  const value = config.ucxNetworks.texts.join(',');
  if (!areLoopback(config.ucxNetworks))
    throw configError([{ path: 'ROUNDHOUSE_UCX_NETWORKS', value, limit }]);
  if (value !== '' && !isBoundHere)
    throw configError([{ path: 'ROUNDHOUSE_BIND_HOST', value: bindHost, limit }]);
}

function isLoopbackAddress(host: string): boolean {
  return networksOf(['127.0.0.0/8', '::1/128'])!.contain(host);
}
