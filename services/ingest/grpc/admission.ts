import {
  ServerInterceptingCall,
  type Metadata,
  type ServerInterceptor,
  type ServerMethodDefinition,
} from '@grpc/grpc-js';
import { RoundhouseError } from '#schemas/errors';
import type { Scope } from '#lib/access/scopes';
import type { AccessGate, Request } from '../access/gate';
import { tenantOfCall } from './call-metadata';
import { toServiceError } from './errors';

/** Open to everybody. */
const healthPath = '/grpc.health.v1.Health/';

/** Any other method is refused: what has no scope here was forgotten. */
const scopeOfMethod: ReadonlyMap<string, Scope> = new Map([
  ['/roundhouse.v1.Dispatch/SubmitRound', 'rounds:write'],
  ['/roundhouse.v1.Dispatch/WatchDecisions', 'decisions:read'],
]);

export interface Admitted {
  readonly tenant: string | undefined;
  /** By the keys of now. */
  isStillGood(): Promise<boolean>;
}

const calls = new WeakMap<Metadata, Admitted>();

/** What a call was admitted for. Throws where it was not admitted. */
export function admittedCall(metadata: Metadata): Admitted {
  const admitted = calls.get(metadata);
  if (admitted === undefined) throw new RoundhouseError('UNAUTHENTICATED', 'the call was not admitted');
  return admitted;
}

function scopeOf({ path }: ServerMethodDefinition<unknown, unknown>): Scope {
  const scope = scopeOfMethod.get(path);
  if (scope === undefined) throw new RoundhouseError('FORBIDDEN', `no scope allows ${path}`);
  return scope;
}

/** Refuses a call by its metadata, before a message of it is read. */
export function admission(gate: AccessGate): ServerInterceptor {
  return (method, call) => {
    if (method.path.startsWith(healthPath)) return new ServerInterceptingCall(call);
    const requestOf = (metadata: Metadata): Request => ({
      edge: 'grpc',
      authorization: metadata.get('authorization')[0]?.toString(),
      address: call.getPeer().replace(/:\d+$/, ''),
      scope: scopeOf(method),
      tenant: tenantOfCall(metadata),
    });
    const admit = async (metadata: Metadata): Promise<void> => {
      const request = requestOf(metadata);
      const tenant = await gate.admit(request);
      calls.set(metadata, { tenant, isStillGood: () => gate.stillAdmits(request, tenant) });
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) =>
            void admit(metadata).then(
              () => proceed(metadata),
              (error: unknown) => call.sendStatus(toServiceError(error)),
            ),
        }),
    });
  };
}
