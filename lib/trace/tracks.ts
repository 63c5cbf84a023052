import { tracedPhases, type TracedPhase } from './traced-phase';

/** A span of a track: shards that pass a phase together, as those of a batch do, are one. */
export interface TrackSpan {
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly phases: readonly TracedPhase[];
}

/** One line of a timeline: what a resource did, one thing at a time; what ran beside it is in another lane. */
export interface Track {
  readonly device: string;
  readonly phase: TracedPhase['phase'];
  /** From 0; more than one where the resource was shared. */
  readonly lane: number;
  readonly spans: readonly TrackSpan[];
}

const keyOf = ({ device, phase }: TracedPhase) => `${device}\n${phase}`;

/** Those of one batch have the same times on the same device. */
function spansOf(phases: readonly TracedPhase[]): TrackSpan[] {
  const spans = new Map<string, TracedPhase[]>();
  for (const traced of phases) {
    const key = `${traced.startNs} ${traced.endNs} ${traced.model}`;
    const same = spans.get(key);
    if (same === undefined) spans.set(key, [traced]);
    else same.push(traced);
  }
  return Array.from(spans.values(), (same) => {
    const { startNs, endNs } = same[0]!;
    return { startNs, endNs, phases: same };
  });
}

/** Each span goes to the first lane that is free by then. */
function lanesOf(spans: readonly TrackSpan[]): TrackSpan[][] {
  const lanes: TrackSpan[][] = [];
  for (const span of spans) {
    const free = lanes.find((lane) => lane.at(-1)!.endNs <= span.startNs);
    if (free === undefined) lanes.push([span]);
    else free.push(span);
  }
  return lanes;
}

/** By device, then in the order of the phases; `phases` are by start. */
export function tracksOf(phases: readonly TracedPhase[]): Track[] {
  const byResource = new Map<string, TracedPhase[]>();
  for (const traced of phases) {
    const key = keyOf(traced);
    const own = byResource.get(key);
    if (own === undefined) byResource.set(key, [traced]);
    else own.push(traced);
  }
  const tracks = Array.from(byResource.values()).flatMap((own) =>
    lanesOf(spansOf(own)).map((spans, lane) => ({
      device: own[0]!.device,
      phase: own[0]!.phase,
      lane,
      spans,
    })),
  );
  const rank = ({ phase }: Track) => tracedPhases.indexOf(phase);
  return tracks.sort((a, b) => a.device.localeCompare(b.device) || rank(a) - rank(b) || a.lane - b.lane);
}
