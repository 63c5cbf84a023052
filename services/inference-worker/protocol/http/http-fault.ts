import { status as grpcStatus, type ServiceError } from '@grpc/grpc-js';
import { errorCodeTrailer, remainingOf, remainingTrailer } from '#lib/engine-client/grpc-errors';
import { errorCodes, isErrorCode } from '#schemas/errors';

/** What is answered instead: a status, and a text for `{"error": …}`. */
export class HttpFault extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'HttpFault';
  }
}

export function invalid(message: string): HttpFault {
  return new HttpFault(400, message);
}

const byGrpcStatus: Partial<Record<grpcStatus, number>> = {
  [grpcStatus.INVALID_ARGUMENT]: 400,
  [grpcStatus.OUT_OF_RANGE]: 400,
  [grpcStatus.FAILED_PRECONDITION]: 400,
  [grpcStatus.NOT_FOUND]: 404,
  [grpcStatus.ALREADY_EXISTS]: 409,
  [grpcStatus.RESOURCE_EXHAUSTED]: 503,
  [grpcStatus.UNIMPLEMENTED]: 501,
  [grpcStatus.UNAVAILABLE]: 503,
  [grpcStatus.CANCELLED]: 503,
  [grpcStatus.DEADLINE_EXCEEDED]: 504,
};

/** What grpc-js says of a message above a limit, on our side or the engine's. */
const tooLarge = /larger than/i;

/** A failed call to the engine: by the code of the error table that it carries, else by its gRPC status. */
export function faultOfCall({ code, details, message, metadata }: ServiceError): HttpFault {
  const text = details || message;
  const sent = metadata?.get(errorCodeTrailer)[0];
  const named = typeof sent === 'string' && isErrorCode(sent) ? errorCodes[sent].http : null;
  const isTooLarge = code === grpcStatus.RESOURCE_EXHAUSTED && named === null && tooLarge.test(text);
  const status = isTooLarge ? 413 : (named ?? byGrpcStatus[code] ?? 500);
  return new HttpFault(status, text, status === 503 ? refusalHeaders(remainingOf(metadata)) : {});
}

/** Of a 503: try again, or elsewhere; and the time that remains to the request's deadline, where it has one. */
function refusalHeaders(remainingMs: number | undefined): Readonly<Record<string, string>> {
  const again = { 'retry-after': '1' };
  return remainingMs === undefined
    ? again
    : { ...again, [remainingTrailer]: String(Math.floor(remainingMs)) };
}

export function unavailable(message: string, remainingMs?: number): HttpFault {
  return new HttpFault(503, message, refusalHeaders(remainingMs));
}

export function engineDown(why: string | null): HttpFault {
  return unavailable(`no engine serves now: ${why ?? 'it is being replaced'}`);
}
