import { isErrorCode } from '#lib/engine-client/grpc-errors';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { TritonError, type TritonErrorCode } from '#native/triton/triton-error';

const codes: Readonly<Record<TritonErrorCode, ErrorCode>> = {
  UNKNOWN: 'MODEL_FAILED',
  INTERNAL: 'MODEL_FAILED',
  NOT_FOUND: 'NOT_FOUND',
  INVALID_ARG: 'PAYLOAD_INVALID',
  UNAVAILABLE: 'MODEL_UNAVAILABLE',
  UNSUPPORTED: 'MODEL_FAILED',
  ALREADY_EXISTS: 'PAYLOAD_INVALID',
  CANCELLED: 'DEADLINE_EXCEEDED',
  STOPPED: 'SHUTTING_DOWN',
  WRONG_HANDLE: 'INTERNAL',
  LOAD_FAILED: 'DEPENDENCY_ABSENT',
};

const leadingCode = /^([A-Z_]+): ([\s\S]*)$/;

/** A backend of ours begins its message with a code of the error table; any other error goes by Triton's code. */
export function asRoundhouseError(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  if (!(error instanceof TritonError)) {
    return new RoundhouseError('INTERNAL', error instanceof Error ? error.message : String(error), [], {
      cause: error,
    });
  }
  const [, code, rest] = leadingCode.exec(error.message) ?? [];
  if (code !== undefined && isErrorCode(code)) return new RoundhouseError(code, rest!, [], { cause: error });
  return new RoundhouseError(codes[error.code], error.message, [], { cause: error });
}
