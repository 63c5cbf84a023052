import { configError } from '#lib/config';
import type { WorkerConfig } from '../config';
import { isPeerPortOpen } from './ucx/ucx-settings';

type Ports = Pick<WorkerConfig, 'tlsCertificate'> & Parameters<typeof isPeerPortOpen>[0];

/**
 * Throws CONFIG_INVALID where a worker would announce a port on which others get no connection: without a port for
 * them it is that of KServe, which then speaks the TLS of its callers.
 */
export function requireReachable(config: Ports): void {
  if (config.tlsCertificate === '' || isPeerPortOpen(config)) return;
  const limit = 'files for the port that other workers use, since ROUNDHOUSE_TLS_CERT is set';
  throw configError([{ path: 'ROUNDHOUSE_PEER_TLS_CERT', value: '', limit }]);
}
