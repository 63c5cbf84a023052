import { admissionEnds, type AdmissionEnd } from './admission-events';

/** PriorityCounts of schemas/proto/engine.proto. */
export type PriorityCounts = Readonly<Record<AdmissionEnd, number>> & {
  readonly priority: string;
  readonly queued_now: number;
  readonly wait_seconds: number;
  readonly waits: readonly { readonly up_to_ms: number; readonly requests: number }[];
};

export interface Growth {
  readonly ends: readonly (readonly [AdmissionEnd, number])[];
  readonly waits: readonly (readonly [string, number])[];
  readonly waitSeconds: number;
}

function label(upToMs: number): string {
  return Number.isFinite(upToMs) ? String(upToMs) : 'more';
}

/** What came since `before`, undefined for an engine that is seen for the first time. */
export function growthOf(now: PriorityCounts, before: PriorityCounts | undefined): Growth {
  const since = (value: number, earlier = 0): number => Math.max(0, value - earlier);
  const ends = admissionEnds.map((end) => [end, since(now[end], before?.[end])] as const);
  const waits = now.waits.map(
    ({ up_to_ms, requests }, i) => [label(up_to_ms), since(requests, before?.waits[i]?.requests)] as const,
  );
  return {
    ends: ends.filter(([, requests]) => requests > 0),
    waits: waits.filter(([, requests]) => requests > 0),
    waitSeconds: since(now.wait_seconds, before?.wait_seconds),
  };
}
