import {
  ServerInterceptingCall,
  type Metadata,
  type ServerInterceptor,
  type ServerMethodDefinition,
} from '@grpc/grpc-js';
import { RoundhouseError } from '#schemas/errors';
import type { Scope } from '#lib/access/scopes';
import type { AccessGate } from '../access/gate';
import { tenantOfCall } from './call-metadata';
import { toServiceError } from './errors';

/** By the last part of a method's path; others (the health check) are open to everybody. */
const scopeOfMethod: Readonly<Record<string, Scope>> = {
  SubmitRound: 'rounds:write',
  WatchDecisions: 'decisions:read',
};

const tenants = new WeakMap<Metadata, { readonly tenant: string | undefined }>();

/** The tenant that a call was admitted for. Throws where it was not admitted. */
export function admittedTenant(metadata: Metadata): string | undefined {
  const admitted = tenants.get(metadata);
  if (admitted === undefined) throw new RoundhouseError('UNAUTHENTICATED', 'the call was not admitted');
  return admitted.tenant;
}

function scopeOf({ path }: ServerMethodDefinition<unknown, unknown>): Scope | undefined {
  return scopeOfMethod[path.split('/').at(-1)!];
}

/** Refuses a call by its metadata, before a message of it is read. */
export function admission(gate: AccessGate): ServerInterceptor {
  return (method, call) => {
    const scope = scopeOf(method);
    if (scope === undefined) return new ServerInterceptingCall(call);
    const admit = (metadata: Metadata) =>
      gate.admit({
        edge: 'grpc',
        authorization: metadata.get('authorization')[0]?.toString(),
        address: call.getPeer().replace(/:\d+$/, ''),
        scope,
        tenant: tenantOfCall(metadata),
      });
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) =>
            void admit(metadata).then(
              (tenant) => {
                tenants.set(metadata, { tenant });
                proceed(metadata);
              },
              (error: unknown) => call.sendStatus(toServiceError(error)),
            ),
        }),
    });
  };
}
