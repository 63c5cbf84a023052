import { parseTraceParent, type TraceContext } from '#lib/tracing/trace-context';
import type { Tracer } from '#lib/tracing/tracer';
import { labelName } from '#lib/metrics/label-space';
import type { Phase } from '#policy/scheduling/phases';
import type { WorkerEvents } from '../events';
import type { PlacedAnswer, PlacedWork } from '../placement/placement';
import { phaseSpans, type PhaseSpan } from './answer-times';

/** A request of a trace that is recorded carries its context into the engine and to other workers by this parameter. */
export const traceParameter = 'traceparent';

const nsInSeconds = 1e9;
const labels = new Map<Phase, string>();

/** As in metrics and spans: `copy_in`. */
export function labelOfPhase(phase: Phase): string {
  const known = labels.get(phase);
  if (known !== undefined) return known;
  labels.set(phase, labelName(phase));
  return labelName(phase);
}

export function traceOfWork({ request }: PlacedWork): TraceContext | null {
  const text = request.parameters?.[traceParameter];
  const context = typeof text === 'string' ? parseTraceParent(text) : null;
  return context?.isSampled === true ? context : null;
}

/** What the devices did, as metrics and, of traces that are recorded, as spans. */
export class PhaseWatch {
  /** By engine and phase: until when, Unix seconds, it was busy. Batches are told in the order of their ends, nearly. */
  private readonly busyUntil = new Map<string, number>();

  constructor(
    private readonly events: Pick<WorkerEvents, 'PhaseEnded' | 'DeviceWorked'>,
    private readonly tracer: Tracer,
  ) {}

  answered(work: PlacedWork, { response, engine }: PlacedAnswer): void {
    const { model } = work.request;
    const device = engine.replace(/#\d+$/, '');
    const trace = this.tracer.records ? traceOfWork(work) : null;
    for (const span of phaseSpans(model, response)) {
      this.count(model, device, span, trace?.traceId);
      if (trace !== null) {
        const attributes = { 'roundhouse.model': model, 'roundhouse.device': device };
        this.tracer.part(trace, labelOfPhase(span.phase), span.startNs, span.endNs, attributes);
      }
    }
  }

  private count(model: string, engine: string, span: PhaseSpan, traceId: string | undefined): void {
    const phase = labelOfPhase(span.phase);
    const [start, end] = [Number(span.startNs) / nsInSeconds, Number(span.endNs) / nsInSeconds];
    this.events.PhaseEnded({
      model,
      phase,
      seconds: Number(span.endNs - span.startNs) / nsInSeconds,
      traceId,
    });
    const key = `${engine} ${phase}`;
    const until = this.busyUntil.get(key) ?? 0;
    if (end <= until) return;
    this.busyUntil.set(key, end);
    this.events.DeviceWorked({ engine, phase, seconds: end - Math.max(start, until) });
  }
}
