import { Metadata, status, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { errorCodes, isErrorCode, RoundhouseError, type ErrorCode } from '#schemas/errors';
import { grpcDetails } from '../grpc-details';

/** Trailer with the exact code of our error table; stock Triton servers don't send it. */
export const errorCodeTrailer = 'rh-error-code';

/** Trailer of a request that was refused: whole milliseconds to its deadline. Absent where it has none. */
export const remainingTrailer = 'rh-remaining-ms';

/** What a trailer or header says; undefined for none, and for what is no such number. */
export function remainingOf(metadata: Metadata | undefined): number | undefined {
  const sent = metadata?.get(remainingTrailer)[0];
  return typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : undefined;
}

/** The status of an error at a gRPC edge of ours. */
export function statusOf(error: RoundhouseError): StatusObject {
  const name = errorCodes[error.code].grpc ?? 'INTERNAL';
  const metadata = new Metadata();
  metadata.set(errorCodeTrailer, error.code);
  if (error.remainingMs !== undefined) metadata.set(remainingTrailer, String(Math.floor(error.remainingMs)));
  return { code: status[name], details: grpcDetails(error.message), metadata };
}

/** By status alone, for servers that aren't ours. */
const byStatus: Partial<Record<status, ErrorCode>> = {
  [status.CANCELLED]: 'ENGINE_LOST',
  [status.INVALID_ARGUMENT]: 'PAYLOAD_INVALID',
  [status.OUT_OF_RANGE]: 'PAYLOAD_INVALID',
  [status.DEADLINE_EXCEEDED]: 'DEADLINE_EXCEEDED',
  [status.NOT_FOUND]: 'MODEL_UNAVAILABLE',
  [status.RESOURCE_EXHAUSTED]: 'ENGINE_BUSY',
  [status.FAILED_PRECONDITION]: 'MODEL_UNAVAILABLE',
  [status.UNAVAILABLE]: 'ENGINE_LOST',
};

/** What our own gRPC library says of a message above its limit: the one case told apart by its text. */
function isMessageTooLarge(error: ServiceError): boolean {
  return (
    error.code === status.RESOURCE_EXHAUSTED && /message larger than max|larger than/i.test(error.details)
  );
}

/** What our own gRPC library says where a connection broke under a call: nothing that a model did. */
export function isBrokenConnection({ code, details }: ServiceError): boolean {
  return code === status.INTERNAL && /^Received RST_STREAM with code/.test(details);
}

/** What the status alone says, in the words of a library where it has its own. */
function codeOfStatus(error: ServiceError): ErrorCode {
  if (isMessageTooLarge(error)) return 'PAYLOAD_INVALID';
  if (isBrokenConnection(error)) return 'ENGINE_LOST';
  return byStatus[error.code] ?? 'MODEL_FAILED';
}

/** An engine that stops is as good as lost to its caller. */
export function asCallerSees(code: ErrorCode): ErrorCode {
  if (code === 'SHUTTING_DOWN') return 'ENGINE_LOST';
  return code === 'NOT_FOUND' ? 'MODEL_UNAVAILABLE' : code;
}

/** A failed call as the error table has it. */
export function roundhouseErrorOf(error: ServiceError): RoundhouseError {
  const sent = error.metadata?.get(errorCodeTrailer)[0];
  const text = typeof sent === 'string' && isErrorCode(sent) ? sent : undefined;
  const code = text ?? codeOfStatus(error);
  // The library's heading of a note that it doesn't have.
  const words = (error.details || error.message).replace(/\.? Resolution note: $/, '');
  const remainingMs = remainingOf(error.metadata);
  return new RoundhouseError(asCallerSees(code), words, [], { cause: error, remainingMs });
}
