import { asCallerSees } from '#lib/engine-client/grpc-errors';
import { errorOfTriton } from '#lib/engine-client/triton-codes';
import { EngineRefusal, ShmError, type ShmErrorCode } from '#native/shm/shm-error';
import { isErrorCode, RoundhouseError, type ErrorCode } from '#schemas/errors';

const codes: Partial<Record<ShmErrorCode, ErrorCode>> = {
  DEADLINE: 'DEADLINE_EXCEEDED',
  CANCELLED: 'DEADLINE_EXCEEDED',
  SESSION_ENDED: 'ENGINE_LOST',
  ANSWER_TOO_LARGE: 'MODEL_FAILED',
  INVALID_ARG: 'PAYLOAD_INVALID',
};

export function isTooLarge(error: unknown): boolean {
  return error instanceof ShmError && error.code === 'TOO_LARGE';
}

function refusalOf(error: EngineRefusal): RoundhouseError {
  const { code, ofTable, message, remainingMs } = error;
  const options = { cause: error, remainingMs };
  if (ofTable && isErrorCode(code)) return new RoundhouseError(code, message, [], options);
  return errorOfTriton(code, message, options);
}

/** The same codes as gRPC has for the same faults. */
export function roundhouseErrorOfShm(error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof EngineRefusal) {
    const known = refusalOf(error);
    const { remainingMs } = error;
    return new RoundhouseError(asCallerSees(known.code), known.message, [], { cause: error, remainingMs });
  }
  if (!(error instanceof ShmError)) return error;
  if (error.code === 'CANCELLED' && signal?.reason instanceof RoundhouseError) return signal.reason;
  if (error.code === 'CANCELLED') {
    return new RoundhouseError('DEADLINE_EXCEEDED', 'the caller gave the request up', [], { cause: error });
  }
  return new RoundhouseError(codes[error.code] ?? 'INTERNAL', error.message, [], { cause: error });
}
