import { errorCodes, RoundhouseError, type Fault } from '#schemas/errors';

/** What a caller is told of an error, over HTTP as the body and over gRPC in the trailing metadata. */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly retry: string;
  readonly faults: readonly Fault[];
}

export function errorBody({ code, message, faults }: RoundhouseError): ErrorBody {
  return { error: code, message, retry: errorCodes[code].retry, faults };
}

/** Faults of ours say no more than that. */
export function knownError(error: unknown): RoundhouseError {
  return error instanceof RoundhouseError ? error : new RoundhouseError('INTERNAL', 'a fault of ours');
}
