import { status, type ServerWritableStream } from '@grpc/grpc-js';
import { decisionToJson } from '#schemas/decision-json';
import type { DecisionCache, DecisionRecord } from '../consume/decision-cache';

interface WatchRequest {
  readonly tenantId?: string;
  readonly runId?: string;
  readonly zoneId?: string;
  readonly includeRecent?: boolean;
}

/** A watcher that takes nothing off its stream for so many decisions is cut off. */
const MAX_UNSENT = 256;

function matches(request: WatchRequest, { decision }: DecisionRecord): boolean {
  return (
    decision.tenantId === (request.tenantId ?? 'default') &&
    (request.runId === undefined || decision.runId === request.runId) &&
    (request.zoneId === undefined || decision.zoneId === request.zoneId)
  );
}

function toMessage({ decision, appendedAt, closedAt, outage }: DecisionRecord): object {
  return { decision: decisionToJson(decision), appendedAt, closedAt, outage };
}

/** Streams matching decisions until the caller ends the call or the service stops. */
export function watchDecisions(
  call: ServerWritableStream<WatchRequest, object>,
  cache: DecisionCache,
  stopping: AbortSignal,
): void {
  let unsent = 0;
  let unwatch: () => void = () => undefined;
  const end = () => {
    unwatch();
    stopping.removeEventListener('abort', end);
    call.end();
  };
  const send = (record: DecisionRecord) => {
    if (!matches(call.request, record)) return;
    unsent = call.write(toMessage(record)) ? 0 : unsent + 1;
    if (unsent <= MAX_UNSENT) return;
    unwatch();
    const details = `${MAX_UNSENT} decisions wait to be read`;
    call.emit('error', Object.assign(new Error(details), { code: status.RESOURCE_EXHAUSTED, details }));
  };
  call.on('drain', () => (unsent = 0));
  call.on('cancelled', end);
  stopping.addEventListener('abort', end);
  if (call.request.includeRecent) for (const record of cache.recent()) send(record);
  unwatch = cache.watch(send);
  if (stopping.aborted || call.cancelled) end();
}
