import { status, type ServerWritableStream, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { grpcDetails } from '#lib/grpc-details';
import { shownText } from '#schemas/shown-text';
import type { EngineModels } from './engine-models';

type ServingStatus = 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN';
interface HealthRequest {
  readonly service: string;
}
interface HealthAnswer {
  readonly status: ServingStatus;
}

/** The whole engine, and the inference service, which is the same question. */
const services = ['', 'inference.GRPCInferenceService'];
const watchMs = 200;

/** grpc.health.v1; SERVING when every needed model is ready. Watchers are let go when `stopping` fires. */
export function healthHandlers(models: EngineModels, stopping: AbortSignal): UntypedServiceImplementation {
  const statusOf = (service: string): ServingStatus => {
    if (!services.includes(service)) return 'SERVICE_UNKNOWN';
    return models.whyNotReady() === null ? 'SERVING' : 'NOT_SERVING';
  };
  return {
    Check: (
      call: { request: HealthRequest },
      callback: (error: object | null, answer?: HealthAnswer) => void,
    ) => {
      const answer = statusOf(call.request.service);
      if (answer !== 'SERVICE_UNKNOWN') return callback(null, { status: answer });
      const details = grpcDetails(`no service "${shownText(call.request.service, 100)}"`);
      callback({ code: status.NOT_FOUND, details });
    },
    Watch: (call: ServerWritableStream<HealthRequest, HealthAnswer>) => {
      let last: ServingStatus | undefined;
      const look = (): void => {
        const now = statusOf(call.request.service);
        if (now !== last) call.write({ status: now });
        last = now;
      };
      look();
      const timer = setInterval(look, watchMs);
      const end = (): void => {
        clearInterval(timer);
        stopping.removeEventListener('abort', end);
        call.end();
      };
      call.on('cancelled', end);
      stopping.addEventListener('abort', end, { once: true });
    },
  };
}
