import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import { statusOf } from '#lib/engine-client/grpc-errors';
import type { RoundhouseError } from '#schemas/errors';
import { asRoundhouseError } from './triton-errors';

/** Fires when the deadline of a call passes or its caller is gone; gRPC answers by itself then. */
export function abortSignalOf(call: ServerUnaryCall<unknown, unknown>): AbortSignal {
  const abort = new AbortController();
  if (call.cancelled) abort.abort();
  else call.on('cancelled', () => abort.abort());
  return abort.signal;
}

/** Unix milliseconds, Infinity for none. */
export function deadlineOf(call: ServerUnaryCall<unknown, unknown>): number {
  const deadline = call.getDeadline();
  return deadline instanceof Date ? deadline.getTime() : deadline;
}

/**
 * A handler that returns a value or throws; errors become statuses by the error table. An answer that
 * can't be sent goes to `onError` as well: nothing that a caller sends may end the process.
 */
export function unary<Request, Response>(
  handle: (request: Request, call: ServerUnaryCall<Request, Response>) => Response | Promise<Response>,
  onError: (error: RoundhouseError, request: Request) => void = () => undefined,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const report = (error: unknown): RoundhouseError => {
      const known = asRoundhouseError(error);
      onError(known, call.request);
      return known;
    };
    Promise.resolve()
      .then(() => handle(call.request, call))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(statusOf(report(error))),
      )
      .catch(report);
  };
}
