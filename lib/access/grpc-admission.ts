import {
  ServerInterceptingCall,
  status,
  type Metadata,
  type ServerInterceptor,
  type StatusObject,
} from '@grpc/grpc-js';
import { RoundhouseError } from '#schemas/errors';
import type { AccessGate, Admitted, Request } from './gate';
import type { Scope } from './scopes';

export interface AdmittedCall extends Admitted {
  /** By the keys of now. */
  isStillGood(): Promise<boolean>;
}

export interface GrpcAdmission {
  readonly gate: AccessGate;
  /** By path; `open` to everybody. Any other method is refused: what has no scope here was forgotten. */
  scopeOf(path: string): Scope | 'open' | undefined;
  /** Unchecked. Throws where a call names several. */
  tenantOf(metadata: Metadata): string | undefined;
  statusOf(error: unknown): StatusObject;
}

const calls = new WeakMap<Metadata, AdmittedCall>();

/** What a call was admitted for; null where nobody was asked. */
export function findAdmitted(metadata: Metadata): AdmittedCall | null {
  return calls.get(metadata) ?? null;
}

/** Throws where the call was not admitted. */
export function admittedCall(metadata: Metadata): AdmittedCall {
  const admitted = findAdmitted(metadata);
  if (admitted === null) throw new RoundhouseError('UNAUTHENTICATED', 'the call was not admitted');
  return admitted;
}

/** Of a message of a call that is open to everybody: it names a service, if anything. */
const mostOpenBytes = 4_096;
const tooLarge = { code: status.RESOURCE_EXHAUSTED, details: `more than ${mostOpenBytes} bytes` };

type NextCall = ConstructorParameters<typeof ServerInterceptingCall>[0];

/**
 * Callers may send a credential with each call: who is asked for none is told of none. Nor do they take of the room that
 * those with one share.
 */
function openToAll(call: NextCall): ServerInterceptingCall {
  return new ServerInterceptingCall(call, {
    start: (next) =>
      next({
        onReceiveMetadata: (metadata, proceed) => {
          metadata.remove('authorization');
          proceed(metadata);
        },
        onReceiveMessage: (message: unknown, proceed) => {
          const isLarge = message instanceof Uint8Array && message.length > mostOpenBytes;
          if (isLarge) call.sendStatus(tooLarge);
          else proceed(message);
        },
      }),
  });
}

/** Refuses a call by its metadata, before a message of it is read; the credential goes no further than this. */
export function grpcAdmission({ gate, scopeOf, tenantOf, statusOf }: GrpcAdmission): ServerInterceptor {
  return ({ path }, call) => {
    const scope = scopeOf(path);
    if (scope === 'open') return openToAll(call);
    const requestOf = (metadata: Metadata): Request => {
      if (scope === undefined) throw new RoundhouseError('FORBIDDEN', `no scope allows ${path}`);
      const authorization = metadata.get('authorization')[0]?.toString();
      const address = call.getPeer().replace(/:\d+$/, '');
      return { edge: 'grpc', authorization, address, scope, tenant: tenantOf(metadata) };
    };
    const admit = async (metadata: Metadata): Promise<void> => {
      const request = requestOf(metadata);
      const admitted = await gate.admit(request);
      metadata.remove('authorization');
      calls.set(metadata, { ...admitted, isStillGood: () => gate.stillAdmits(request, admitted.tenant) });
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) =>
            void admit(metadata).then(
              () => proceed(metadata),
              (error: unknown) => call.sendStatus(statusOf(error)),
            ),
        }),
    });
  };
}
