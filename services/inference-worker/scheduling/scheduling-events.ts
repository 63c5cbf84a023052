import { event } from '#lib/telemetry';
import { phases } from '#policy/scheduling/phases';

export const schedulerDecisions = ['started', 'late', 'unfit'] as const;
export type SchedulerDecision = (typeof schedulerDecisions)[number];

export const schedulingEvents = {
  SchedulerCounted: event<{ decision: SchedulerDecision; shards: number }>({
    level: 'trace',
    labels: { decision: schedulerDecisions },
    counter: {
      name: 'dispatch_scheduler_decisions_total',
      help: 'Shards that the scheduler started, gave back as late before they cost anything, or found too large.',
      by: ({ shards }) => shards,
    },
  }),
  SchedulerWaited: event<{ shards: number }>({
    level: 'trace',
    gauge: {
      name: 'dispatch_scheduler_waiting',
      help: 'Shards that wait for their start.',
      value: ({ shards }) => shards,
    },
  }),
  SchedulerLoaded: event<{ shards: number }>({
    level: 'trace',
    gauge: {
      name: 'dispatch_scheduler_in_flight',
      help: 'Shards that engines of this worker have.',
      value: ({ shards }) => shards,
    },
  }),
  PoolMeasured: event<{ bytes: number }>({
    level: 'trace',
    gauge: {
      name: 'dispatch_scheduler_pool_bytes',
      help: 'Shared memory that the shards in flight take.',
      value: ({ bytes }) => bytes,
    },
  }),
  PoolPeaked: event<{ bytes: number }>({
    level: 'trace',
    gauge: {
      name: 'dispatch_scheduler_pool_peak_bytes',
      help: 'The most so far.',
      value: ({ bytes }) => bytes,
    },
  }),
  ArenaPeaked: event<{ engine: string; bytes: number }>({
    level: 'trace',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_scheduler_arena_peak_bytes',
      help: 'The most activation memory of a device that shards in flight were planned to take.',
      value: ({ bytes }) => bytes,
      isZeroAtFirst: true,
    },
  }),
  PredictionMeasured: event<{ model: string; engine: string; phase: string; error: number }>({
    level: 'trace',
    labels: { model: 16, engine: 16, phase: phases },
    gauge: {
      name: 'dispatch_scheduler_prediction_error',
      help: 'Of late: |seen - predicted| / predicted of the time of a phase.',
      value: ({ error }) => error,
    },
  }),
  PredictionBiased: event<{ model: string; engine: string; phase: string; bias: number }>({
    level: 'trace',
    labels: { model: 16, engine: 16, phase: phases },
    gauge: {
      name: 'dispatch_scheduler_prediction_bias',
      help: 'Of late: (seen - predicted) / predicted; above 0 where it takes longer.',
      value: ({ bias }) => bias,
    },
  }),
};
