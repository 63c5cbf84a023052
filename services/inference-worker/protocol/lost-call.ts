import { status, type ServiceError } from '@grpc/grpc-js';
import { errorCodeTrailer, isBrokenConnection } from '#lib/engine-client/grpc-errors';

/**
 * What a caller hears of a call that ended with its engine: gRPC's words (`Connection dropped`) say nothing to whoever
 * knows no engine. null where the engine, or another edge of ours, has answered. `whyDown`: why none serves, once that
 * is known.
 */
export function lostCall(error: ServiceError, whyDown: () => string | null): string | null {
  const isOurs = error.metadata?.get(errorCodeTrailer).length > 0;
  const isLost = error.code === status.UNAVAILABLE || isBrokenConnection(error);
  if (!isLost || isOurs) return null;
  return `the engine was lost with the call: ${whyDown() ?? (error.details || error.message)}`;
}
