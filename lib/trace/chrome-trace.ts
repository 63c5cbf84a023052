import type { Track, TrackSpan } from './tracks';

/** An event of the Trace Event Format, which Perfetto and chrome://tracing open. */
export interface ChromeEvent {
  readonly name: string;
  /** X: a span with a duration; M: names a process or thread. */
  readonly ph: 'X' | 'M';
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, unknown>>;
}

const microseconds = (ns: bigint) => Number(ns) / 1_000;

function spanEvent(span: TrackSpan, from: bigint, place: { pid: number; tid: number }): ChromeEvent {
  const [first] = span.phases;
  const count = span.phases.length;
  return {
    name: count === 1 ? `${first!.round}/${first!.shard}` : `${first!.round}/${first!.shard} + ${count - 1}`,
    ph: 'X',
    ...place,
    ts: microseconds(span.startNs - from),
    dur: microseconds(span.endNs - span.startNs),
    args: {
      model: first!.model,
      shards: span.phases.map(({ round, shard }) => `${round}/${shard}`),
    },
  };
}

function named(name: 'process_name' | 'thread_name', pid: number, tid: number, value: string): ChromeEvent {
  return { name, ph: 'M', pid, tid, args: { name: value } };
}

/** Devices are processes, phases are threads; a phase that was shared has a thread a lane. Times count from `from`. */
export function chromeTrace(tracks: readonly Track[], from: bigint): { traceEvents: ChromeEvent[] } {
  const devices = [...new Set(tracks.map(({ device }) => device))];
  const traceEvents = devices.map((device, pid) => named('process_name', pid, 0, device));
  tracks.forEach(({ device, phase, lane, spans }, tid) => {
    const pid = devices.indexOf(device);
    traceEvents.push(named('thread_name', pid, tid, lane === 0 ? phase : `${phase} ${lane + 1}`));
    for (const span of spans) traceEvents.push(spanEvent(span, from, { pid, tid }));
  });
  return { traceEvents };
}
