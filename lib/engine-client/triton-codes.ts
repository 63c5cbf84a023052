import { isErrorCode, RoundhouseError, type ErrorCode } from '#schemas/errors';

/** Triton's error codes, and those that our addon adds to them. */
const codes: Readonly<Record<string, ErrorCode>> = {
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
  ENGINE_BUSY: 'ENGINE_BUSY',
  DEADLINE_EXCEEDED: 'DEADLINE_EXCEEDED',
};

const leadingCode = /^([A-Z_]+): ([\s\S]*)$/;

/** A backend of ours begins its message with a code of the error table; any other error goes by Triton's code. */
export function errorOfTriton(
  tritonCode: string,
  message: string,
  options: { readonly cause: unknown; readonly remainingMs?: number | undefined },
): RoundhouseError {
  const [, code, rest] = leadingCode.exec(message) ?? [];
  if (code !== undefined && isErrorCode(code)) return new RoundhouseError(code, rest!, [], options);
  return new RoundhouseError(codes[tritonCode] ?? 'MODEL_FAILED', message, [], options);
}
