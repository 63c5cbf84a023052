import { configError } from '#lib/config';
import type { WorkerConfig } from '../config';
import { isPeerPortOpen } from './ucx/ucx-settings';

type Ports = Pick<WorkerConfig, 'tlsCertificate' | 'accessFile' | 'jwtKeys'> &
  Parameters<typeof isPeerPortOpen>[0];

/**
 * Throws CONFIG_INVALID where a worker would announce a port on which others get no connection: without a port for
 * them it is that of KServe, which then speaks the TLS of its callers, or asks them for a key.
 */
export function requireReachable(config: Ports): void {
  const asking = [
    ['ROUNDHOUSE_TLS_CERT', config.tlsCertificate],
    ['ROUNDHOUSE_WORKER_ACCESS_FILE', config.accessFile],
    ['ROUNDHOUSE_WORKER_JWT_KEYS', config.jwtKeys],
  ].find(([, value]) => value !== '');
  if (asking === undefined || isPeerPortOpen(config)) return;
  const limit = `files for the port that other workers use, since ${asking[0]} is set`;
  throw configError([{ path: 'ROUNDHOUSE_PEER_TLS_CERT', value: '', limit }]);
}
