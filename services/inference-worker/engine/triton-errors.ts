import { errorOfTriton } from '#lib/engine-client/triton-codes';
import { RoundhouseError } from '#schemas/errors';
import { TritonError } from '#native/triton/triton-error';

/** Whatever went wrong in the engine, by the error table. */
export function asRoundhouseError(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  if (error instanceof TritonError) {
    const { code, message, remainingMs } = error;
    return errorOfTriton(code, message, { cause: error, remainingMs });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new RoundhouseError('INTERNAL', message, [], { cause: error });
}
