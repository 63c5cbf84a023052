import { noteworthyCounters } from '../console/signals/noteworthy';

/** What the console reads of the services' metrics (docs/metrics.md). */
export const counters = [
  'dispatch_shards_finished_total',
  'dispatch_rounds_accepted_total',
  'dispatch_rounds_refused_total',
  'dispatch_rounds_closed_total',
  'dispatch_engine_losses_total',
  'dispatch_data_plane_fallbacks_total',
  'dispatch_data_plane_requests_total',
  'dispatch_device_busy_seconds_total',
  'dispatch_dead_letters_total',
  'process_cpu_seconds_total',
] as const;

export const histograms = ['dispatch_shard_phase_seconds', 'dispatch_engine_queue_wait_seconds'] as const;

export const gauges = [
  'dispatch_build_info',
  'dispatch_gpu_utilization_ratio',
  'dispatch_gpu_device_used_bytes',
  'dispatch_gpu_device_size_bytes',
  'dispatch_data_plane_pool_used_bytes',
  'dispatch_data_plane_pool_bytes',
  'dispatch_engine_pid',
  'dispatch_engine_standby_ready',
  'dispatch_engine_circuit_open',
  'dispatch_engine_queued',
  'dispatch_engine_in_core',
  'dispatch_outage_active',
  'dispatch_clock_skew_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
] as const;

/** Read for what happened alone: their growth is a line and no figure. */
const told = [
  ...noteworthyCounters,
  'dispatch_outages_total',
  'dispatch_group_joins_total',
  'dispatch_engine_admissions_total',
];

/** Counters and buckets: of them only steps say something. */
export const growing: ReadonlySet<string> = new Set([
  ...told,
  ...counters,
  ...histograms.map((name) => `${name}_bucket`),
]);

export const wantedSeries: ReadonlySet<string> = new Set([...growing, ...gauges]);

export type CounterName = (typeof counters)[number];
export type GaugeName = (typeof gauges)[number];
export type HistogramName = (typeof histograms)[number];
