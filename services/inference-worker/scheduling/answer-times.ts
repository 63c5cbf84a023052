import type { InferResponse } from '#lib/engine-client/port';
import type { NamedTensor } from '#schemas/domain';
import type { Phase } from '#policy/scheduling/phases';

/** Those of the device, in the order of the output `phases`. */
const devicePhases = ['copyIn', 'etr', 'or', 'copyOut'] as const;
/** The shortest that is told: the clocks are no finer. */
export const leastMs = 0.001;

/** Of a request that was computed here. */
export interface PhaseTime {
  readonly phase: Phase;
  readonly ms: number;
  /** Requests with the same one passed the phase together; null where the answer does not say. */
  readonly span: string | null;
}

export interface PhaseSpan {
  readonly phase: Phase;
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** By its name: the delivery-time network is the only one that plans nothing. */
function phaseOfWhole(model: string): Phase {
  return model.startsWith('delivery_time') ? 'etr' : 'or';
}

function wholeNumbers({ data }: NamedTensor): bigint[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return Array.from({ length: Math.floor(data.byteLength / 8) }, (_, at) => view.getBigInt64(8 * at, true));
}

/** Several want to know, while the outputs are still there. */
const known = new WeakMap<InferResponse, readonly PhaseSpan[]>();

/**
 * When the phases of a request ran, in Unix nanoseconds: as its output `phases` has them, else the whole call by its
 * output `interval`, as one phase. Empty where it has neither.
 */
export function phaseSpans(model: string, response: InferResponse): readonly PhaseSpan[] {
  const read = known.get(response) ?? readSpans(model, response);
  known.set(response, read);
  return read;
}

function readSpans(model: string, { outputs }: InferResponse): readonly PhaseSpan[] {
  const named = (name: string): bigint[] => {
    const found = outputs.find((output) => output.name === name);
    return found === undefined ? [] : wholeNumbers(found);
  };
  const times = named('phases');
  if (times.length === 2 * devicePhases.length) {
    return devicePhases
      .map((phase, at) => ({ phase, startNs: times[2 * at]!, endNs: times[2 * at + 1]! }))
      .filter(({ startNs, endNs }) => endNs > startNs && startNs > 0n);
  }
  const [startNs, endNs] = named('interval');
  if (startNs === undefined || endNs === undefined || endNs <= startNs) return [];
  return [{ phase: phaseOfWhole(model), startNs, endNs }];
}

/** Of each device phase, for the cost model. `callMs` where the answer does not say; null: then nothing. */
export function answerTimes(model: string, response: InferResponse, callMs: number | null): PhaseTime[] {
  const spans = phaseSpans(model, response);
  if (spans.length > 0) return devicePhases.map((phase) => timeOf(phase, spans));
  if (callMs === null) return [];
  const whole = phaseOfWhole(model);
  return devicePhases.map((phase) => ({
    phase,
    ms: phase === whole ? Math.max(leastMs, callMs) : leastMs,
    span: null,
  }));
}

/**
 * A copy in is told from the host's enqueueing to the kernel behind it, so with that kernel's wait for its turn: more than
 * this it is not, at a fifth of what a GPU's bus carries. Counted whole, it seemed the busiest resource of all.
 */
const mostCopyMs = 0.25;

function timeOf(phase: Phase, spans: readonly PhaseSpan[]): PhaseTime {
  const found = spans.find((one) => one.phase === phase);
  if (found === undefined) return { phase, ms: leastMs, span: null };
  const { startNs, endNs } = found;
  const toldMs = Math.max(leastMs, Number(endNs - startNs) / 1e6);
  const ms = phase === 'copyIn' ? Math.min(mostCopyMs, toldMs) : toldMs;
  return { phase, ms, span: `${phase} ${startNs} ${endNs}` };
}
