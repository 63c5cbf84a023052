import type { ServerInterceptor } from '@grpc/grpc-js';
import type { AccessGate } from '#lib/access/gate';
import { grpcAdmission } from '#lib/access/grpc-admission';
import type { Scope } from '#lib/access/scopes';
import { tenantOfCall } from './call-metadata';
import { toServiceError } from './errors';

const healthPath = '/grpc.health.v1.Health/';

const scopeOfMethod: ReadonlyMap<string, Scope> = new Map([
  ['/roundhouse.v1.Dispatch/SubmitRound', 'rounds:write'],
  ['/roundhouse.v1.Dispatch/WatchDecisions', 'decisions:read'],
]);

/** Of the producer API. */
export function admission(gate: AccessGate): ServerInterceptor {
  return grpcAdmission({
    gate,
    scopeOf: (path) => (path.startsWith(healthPath) ? 'open' : scopeOfMethod.get(path)),
    tenantOf: tenantOfCall,
    statusOf: toServiceError,
  });
}
