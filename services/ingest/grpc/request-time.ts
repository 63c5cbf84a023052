import { ServerInterceptingCall, status, type ServerInterceptor } from '@grpc/grpc-js';

/** A call that was admitted is ended where its request doesn't come whole in time, as a body of HTTP is. */
export function requestTime(timeoutMs: number): ServerInterceptor {
  return (_, call) => {
    const tooSlow = () =>
      call.sendStatus({
        code: status.DEADLINE_EXCEEDED,
        details: `the request did not come in ${timeoutMs} ms`,
      });
    let timer: NodeJS.Timeout | undefined;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            timer = setTimeout(tooSlow, timeoutMs);
            proceed(metadata);
          },
          onReceiveHalfClose: (proceed) => {
            clearTimeout(timer);
            proceed();
          },
          onCancel: () => clearTimeout(timer),
        }),
    });
  };
}
