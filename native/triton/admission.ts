import type { ParameterRow } from '#lib/engine-client/request-parameters';
import type { NativeSettings } from './bindings';

/** Bounds of what is under way, over both ways in. */
export interface AdmissionLimits {
  /** In the core, over all models; also requests whose caller is gone. */
  readonly maxInFlight: number;
  /** In the core for a model; no more than fill the next batch of each of its instances. */
  readonly maxRunning: number;
  /** Requests that wait for their turn; one more is ENGINE_BUSY. */
  readonly maxQueued: number;
  readonly maxQueuedBytes: number;
}

function timeoutOf(parameters: ParameterRow): number {
  for (let at = 0; at < parameters.length; at += 2) {
    if (parameters[at] === 'timeout') return Number(parameters[at + 1]);
  }
  return 0;
}

/** The sooner of the deadline and the parameter `timeout` (microseconds from now). */
export function endOf(deadlineMs: number, parameters: ParameterRow = []): number {
  const timeout = timeoutOf(parameters);
  return timeout > 0 ? Math.min(deadlineMs, Date.now() + Math.ceil(timeout / 1_000)) : deadlineMs;
}

export function admissionOf(limits: AdmissionLimits | undefined): Pick<NativeSettings, 'admission'> {
  if (limits === undefined) return {};
  const { maxInFlight: inCore, maxRunning: running, maxQueued: queued, maxQueuedBytes: queuedBytes } = limits;
  return { admission: { inCore, running, queued, queuedBytes } };
}
