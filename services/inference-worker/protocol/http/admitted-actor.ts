import type { IncomingMessage } from 'node:http';
import type { AccessGate } from '#lib/access/gate';
import { QuotaExceeded } from '#lib/access/quota-exceeded';
import { actorOf } from '#lib/server-tls';
import { errorCodes, RoundhouseError } from '#schemas/errors';
import { accessOfRoute } from '../model-access';
import { HttpFault } from './http-fault';
import type { Route } from './route';

function headersOf(error: RoundhouseError, status: number): Record<string, string> {
  return {
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="roundhouse"' }),
    ...(error instanceof QuotaExceeded && { 'retry-after': String(Math.ceil(error.waitMs / 1_000)) }),
  };
}

function faultOf(error: unknown): unknown {
  if (!(error instanceof RoundhouseError)) return error;
  const status = errorCodes[error.code].http ?? 500;
  return new HttpFault(status, error.message, headersOf(error, status));
}

/** Who calls, for the audit log. Rejects with 401, 403 or 429 before a body is read. */
export async function admittedActor(
  gate: AccessGate | null,
  { name }: Route,
  request: IncomingMessage,
): Promise<string> {
  const scope = name === 'unsupported' ? 'models:read' : accessOfRoute[name];
  if (gate === null || scope === 'open') return actorOf(request);
  const { authorization } = request.headers;
  const address = request.socket.remoteAddress ?? 'unknown';
  try {
    const { actor } = await gate.admit({ edge: 'http', authorization, address, scope, tenant: undefined });
    return actor ?? actorOf(request);
  } catch (error) {
    throw faultOf(error);
  }
}
