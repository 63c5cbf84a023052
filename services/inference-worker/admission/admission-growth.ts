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
  /** Of those that started, by the buckets of their wait; `sum` in seconds. Empty where none did. */
  readonly waits: { readonly counts: readonly number[]; readonly sum: number };
}

/** What came since `before`, undefined for an engine that is seen for the first time. */
export function growthOf(now: PriorityCounts, before: PriorityCounts | undefined): Growth {
  const since = (value: number, earlier = 0): number => Math.max(0, value - earlier);
  const ends = admissionEnds.map((end) => [end, since(now[end], before?.[end])] as const);
  const counts = now.waits.map(({ requests }, i) => since(requests, before?.waits[i]?.requests));
  const atOnce = since(now.started_at_once, before?.started_at_once);
  if (counts.length > 0) counts[0]! += atOnce;
  const started = counts.some((requests) => requests > 0);
  return {
    ends: ends.filter(([, requests]) => requests > 0),
    waits: { counts: started ? counts : [], sum: since(now.wait_seconds, before?.wait_seconds) },
  };
}
