import type { FigureId } from '../../console/messages';
import { count, duration, percent, rate, type Quantity } from './format';

/** How one value of a figure is shown. */
export interface SeriesSpec {
  readonly id: FigureId;
  /** Beside the value, where a card has two. */
  readonly name: string;
  readonly show: (value: number | null) => Quantity;
  /** The upper end of its chart is this at least. */
  readonly floor: number;
  readonly judge?: (value: number) => 'warn' | 'bad' | null;
}

/** A card: one of the twelve headline figures. */
export interface FigureSpec {
  readonly title: string;
  readonly about: string;
  readonly promql: string;
  readonly series: readonly [SeriesSpec, ...SeriesSpec[]];
}

const atLeast = (warn: number, bad: number) => (value: number) =>
  value < bad ? 'bad' : value < warn ? 'warn' : null;
const atMost = (warn: number, bad: number) => (value: number) =>
  value > bad ? 'bad' : value > warn ? 'warn' : null;

export const figureSpecs: readonly FigureSpec[] = [
  {
    title: 'Round success',
    about:
      'Rounds of the last minute whose decision was there by its deadline, of all that were due or decided. One that an outage made late is marked with what was away, and counts as late.',
    promql:
      'sum(rate(dispatch_decisions_published_total{in_time="true"}[5m])) / (sum(rate(dispatch_decisions_published_total[5m])) + sum(rate(dispatch_rounds_abandoned_total[5m])))',
    series: [{ id: 'success', name: '', show: percent, floor: 1, judge: atLeast(1, 0.999) }],
  },
  {
    title: 'Decision latency',
    about:
      "From ingest's receipt of a round to the broker's append time of its decision, of the decisions of the last minute.",
    promql: 'histogram_quantile(0.99, sum by (le) (rate(dispatch_decision_latency_seconds_bucket[5m])))',
    series: [
      { id: 'latencyP99', name: 'p99', show: duration, floor: 0.01 },
      { id: 'latencyP50', name: 'p50', show: duration, floor: 0.01 },
    ],
  },
  {
    title: 'Coverage',
    about: "Share of the rounds' candidates that were computed by the decision, of the last minute.",
    promql:
      'sum(rate(dispatch_round_coverage_ratio_sum[5m])) / sum(rate(dispatch_round_coverage_ratio_count[5m]))',
    series: [{ id: 'coverage', name: '', show: percent, floor: 1, judge: atLeast(0.99, 0.9) }],
  },
  {
    title: 'Deadline closes',
    about:
      'Share of the decisions of the last minute that were closed by their deadline, with shards missing.',
    promql:
      'sum(rate(dispatch_rounds_closed_total{closed_by="deadline"}[5m])) / sum(rate(dispatch_rounds_closed_total[5m]))',
    series: [{ id: 'deadlineCloses', name: '', show: percent, floor: 0.01, judge: atMost(0.001, 0.05) }],
  },
  {
    title: 'Shard rate',
    about: 'Shards solved a second, by all workers.',
    promql: 'sum(rate(dispatch_shards_finished_total{status="solved"}[5m]))',
    series: [{ id: 'shardRate', name: '', show: rate, floor: 1 }],
  },
  {
    title: 'Compute p99',
    about:
      'The ninety-ninth percentile of the time that a shard needs for route planning (OR) and for the network (ETR), on the device.',
    promql:
      'histogram_quantile(0.99, sum by (le, phase) (rate(dispatch_shard_phase_seconds_bucket{phase=~"or|etr"}[5m])))',
    series: [
      { id: 'orP99', name: 'OR', show: duration, floor: 0.001 },
      { id: 'etrP99', name: 'ETR', show: duration, floor: 0.001 },
    ],
  },
  {
    title: 'Queue wait p99',
    about: "How long requests waited in an engine's queue before they started.",
    promql: 'histogram_quantile(0.99, sum by (le) (rate(dispatch_engine_queue_wait_seconds_bucket[5m])))',
    series: [{ id: 'queueWaitP99', name: '', show: duration, floor: 0.001 }],
  },
  {
    title: 'Engines lost',
    about:
      'Engines that were given up within the last hour, or since the console began to look. Each has a report below.',
    promql: 'sum(increase(dispatch_engine_losses_total[1h]))',
    series: [{ id: 'engineLosses', name: 'last hour', show: count, floor: 1, judge: atMost(0, 3) }],
  },
  {
    title: 'Device use',
    about:
      'Share of the time in which a GPU ran a kernel, by NVML; without GPUs the share in which engines were computing. Below it, memory of the GPUs in use.',
    promql: 'avg(dispatch_gpu_utilization_ratio)',
    series: [
      { id: 'deviceUse', name: 'busy', show: percent, floor: 1 },
      { id: 'gpuMemory', name: 'memory', show: percent, floor: 1, judge: atMost(0.9, 0.97) },
    ],
  },
  {
    title: 'Memory pool',
    about:
      'Shared memory with the engines that is in use. A full pool makes large payloads wait and small ones go through gRPC.',
    promql: 'sum(dispatch_data_plane_pool_used_bytes) / sum(dispatch_data_plane_pool_bytes)',
    series: [{ id: 'poolUse', name: '', show: percent, floor: 1, judge: atMost(0.8, 0.95) }],
  },
  {
    title: 'Lag',
    about: 'Shards that workers have not finished, and the age of the oldest of them.',
    promql: 'sum(kafka_consumergroup_lag{consumergroup=~".*inference-worker"})',
    series: [
      { id: 'shardsWaiting', name: 'shards', show: count, floor: 4 },
      { id: 'secondsBehind', name: 'behind', show: duration, floor: 1, judge: atMost(2, 10) },
    ],
  },
  {
    title: 'Data-plane fallbacks',
    about: 'Requests a second that went through gRPC although shared memory was chosen.',
    promql: 'sum by (reason) (rate(dispatch_data_plane_fallbacks_total[5m]))',
    series: [{ id: 'fallbackRate', name: '', show: rate, floor: 0.1, judge: atMost(0.01, 1) }],
  },
];
