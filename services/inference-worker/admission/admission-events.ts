import { event } from '#lib/telemetry';

/** By the engine's parameter `priority`: above the default, the default, below. */
export const priorities = ['high', 'default', 'low'] as const;
/** What became of requests that came to an engine's queue. */
export const admissionEnds = [
  'started_at_once',
  'queued',
  'started_later',
  'refused_full',
  'refused_hopeless',
  'displaced',
  'late',
  'expired_queued',
  'expired_running',
  'cancelled_queued',
  'cancelled_running',
] as const;
export type AdmissionEnd = (typeof admissionEnds)[number];
/** Those of the engine (schemas/proto/engine.proto), in seconds. */
const waitBuckets = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 10];

export const admissionEvents = {
  QueueMeasured: event<{ engine?: string; priority: string; waiting: number }>({
    level: 'trace',
    labels: { engine: 16, priority: priorities },
    gauge: {
      name: 'dispatch_engine_queued',
      help: "Requests that wait in the active engine's queue.",
      value: ({ waiting }) => waiting,
      isZeroAtFirst: true,
    },
  }),
  CoreMeasured: event<{ engine?: string; requests: number }>({
    level: 'trace',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_engine_in_core',
      help: 'Requests that the core of the active engine has, abandoned ones included.',
      value: ({ requests }) => requests,
      isZeroAtFirst: true,
    },
  }),
  SessionsMeasured: event<{ engine?: string; memory: string; sessions: number }>({
    level: 'trace',
    labels: { engine: 16, memory: ['pinned', 'unpinned'] },
    gauge: {
      name: 'dispatch_engine_sessions',
      help: 'Sessions that the active engine has locked the memory of for its GPUs since its start, and those where that failed.',
      value: ({ sessions }) => sessions,
      isZeroAtFirst: true,
    },
  }),
  RequestsAdmitted: event<{ priority: string; end: string; requests: number }>({
    level: 'trace',
    labels: { priority: priorities, end: admissionEnds },
    counter: {
      name: 'dispatch_engine_admissions_total',
      help: 'Requests that came to the queue of an engine, by what became of them there.',
      by: ({ requests }) => requests,
    },
  }),
  /** Those that started at once are in the first bucket. */
  RequestsWaited: event<{ priority: string; counts: readonly number[]; sum: number }>({
    level: 'trace',
    labels: { priority: priorities },
    histogram: {
      name: 'dispatch_engine_queue_wait_seconds',
      help: "Wait of requests in an engine's queue before they started.",
      buckets: waitBuckets,
      value: ({ counts, sum }) => ({ counts, sum }),
    },
  }),
};
