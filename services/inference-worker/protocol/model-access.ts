import type { ServerInterceptor } from '@grpc/grpc-js';
import type { AccessGate } from '#lib/access/gate';
import { grpcAdmission } from '#lib/access/grpc-admission';
import type { Scope } from '#lib/access/scopes';
import { statusOf } from '#lib/engine-client/grpc-errors';
import { RoundhouseError } from '#schemas/errors';
import type { RouteName } from './http/route';

/** Whether a server is there is told to everybody, as by its ports of health. */
type Access = Scope | 'open';

/**
 * Regions belong to inference: whoever sends tensors through them registers them. What has no access here can't be
 * called where callers are asked who they are.
 */
const accessOfMethod: Readonly<Record<string, Access>> = {
  'inference.GRPCInferenceService/ServerLive': 'open',
  'inference.GRPCInferenceService/ServerReady': 'open',
  'grpc.health.v1.Health/Check': 'open',
  'grpc.health.v1.Health/Watch': 'models:read',
  'inference.GRPCInferenceService/ServerMetadata': 'models:read',
  'inference.GRPCInferenceService/ModelReady': 'models:read',
  'inference.GRPCInferenceService/ModelMetadata': 'models:read',
  'inference.GRPCInferenceService/ModelConfig': 'models:read',
  'inference.GRPCInferenceService/ModelStatistics': 'models:read',
  'inference.GRPCInferenceService/RepositoryIndex': 'models:read',
  'inference.GRPCInferenceService/ModelInfer': 'models:infer',
  'inference.GRPCInferenceService/SystemSharedMemoryStatus': 'models:infer',
  'inference.GRPCInferenceService/SystemSharedMemoryRegister': 'models:infer',
  'inference.GRPCInferenceService/SystemSharedMemoryUnregister': 'models:infer',
  'inference.GRPCInferenceService/RepositoryModelLoad': 'models:admin',
  'inference.GRPCInferenceService/RepositoryModelUnload': 'models:admin',
  'roundhouse.engine.v1.Engine/Admission': 'models:read',
  'roundhouse.engine.v1.Engine/Work': 'models:read',
  'roundhouse.engine.v1.Engine/Memory': 'models:read',
  'roundhouse.engine.v1.Engine/Metrics': 'models:read',
};

export const accessOfRoute: Readonly<Record<Exclude<RouteName, 'unsupported'>, Access>> = {
  serverLive: 'open',
  serverReady: 'open',
  serverMetadata: 'models:read',
  modelReady: 'models:read',
  modelMetadata: 'models:read',
  modelConfig: 'models:read',
  modelStatistics: 'models:read',
  repositoryIndex: 'models:read',
  modelInfer: 'models:infer',
  regionStatus: 'models:infer',
  regionRegister: 'models:infer',
  regionUnregister: 'models:infer',
  repositoryLoad: 'models:admin',
  repositoryUnload: 'models:admin',
};

export function accessOf(path: string): Access | undefined {
  return Object.hasOwn(accessOfMethod, path.slice(1)) ? accessOfMethod[path.slice(1)] : undefined;
}

function asFault(error: unknown): RoundhouseError {
  return error instanceof RoundhouseError ? error : new RoundhouseError('INTERNAL', String(error));
}

/** None where nobody is asked, so that calls cost no more than before. */
export function modelAdmission(gate: AccessGate | null): ServerInterceptor[] {
  if (gate?.isAsked !== true) return [];
  const interceptor = grpcAdmission({
    gate,
    scopeOf: accessOf,
    // Models belong to no tenant: what a call names is not looked at.
    tenantOf: () => undefined,
    statusOf: (error) => statusOf(asFault(error)),
  });
  return [interceptor];
}
