import type { Series } from '../scrape/prometheus-text';
import type { ServiceLook } from '../scrape/scrape-service';
import type { GaugeName } from '../scrape/wanted-series';
import { decisionMs, roundState, type RoundView } from '../rounds/round-view';
import { histogramQuantile, quantileOf } from './quantiles';
import type { RecentGrowth } from './recent-growth';

/** The twelve headline figures; those with two values have two ids. */
export const figureIds = [
  'success',
  'latencyP50',
  'latencyP99',
  'coverage',
  'deadlineCloses',
  'shardRate',
  'orP99',
  'etrP99',
  'queueWaitP99',
  'engineLosses',
  'deviceUse',
  'gpuMemory',
  'poolUse',
  'shardsWaiting',
  'secondsBehind',
  'atRisk',
  'fallbackRate',
] as const;
export type FigureId = (typeof figureIds)[number];

/** Ratios from 0 to 1, seconds, counts, or so many a second; null where there is nothing to tell. */
export type Figures = Readonly<Record<FigureId, number | null>>;

export const windowMs = 60_000;

export interface FigureSources {
  readonly now: number;
  readonly rounds: Iterable<RoundView>;
  readonly growth: RecentGrowth;
  readonly services: readonly ServiceLook[];
  readonly shardsWaiting: number | null;
  readonly secondsBehind: number | null;
  readonly atRisk: number | null;
  /** In the last hour. */
  readonly engineLosses: number | null;
}

type RoundFigures = Pick<Figures, 'success' | 'latencyP50' | 'latencyP99' | 'coverage' | 'deadlineCloses'>;

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Of rounds that were decided, or should have been, within the window. */
function roundFigures({ rounds, now }: FigureSources): RoundFigures {
  const decided: RoundView[] = [];
  let failed = 0;
  for (const round of rounds) {
    const { decision, deadline } = round;
    if (decision !== null && decision.decidedAt > now - windowMs) decided.push(round);
    else if (deadline > now - windowMs && roundState(round, now) === 'overdue') failed += 1;
  }
  const late = decided.filter((round) => roundState(round, now) === 'late');
  const seconds = decided.map((round) => decisionMs(round)! / 1_000);
  const coverage = decided.reduce((sum, { decision }) => sum + decision!.coverage, 0);
  const byDeadline = decided.filter(({ decision }) => decision!.closedBy === 'deadline').length;
  return {
    success: share(decided.length - late.length, decided.length + failed),
    latencyP50: quantileOf(seconds, 0.5),
    latencyP99: quantileOf(seconds, 0.99),
    coverage: share(coverage, decided.length),
    deadlineCloses: share(byDeadline, decided.length),
  };
}

export function gaugeSeries(services: readonly ServiceLook[], name: GaugeName): Series[] {
  return services.flatMap(({ series }) => series.filter((one) => one.name === name));
}

const sumOf = (series: readonly Series[]): number => series.reduce((sum, { value }) => sum + value, 0);

function ratioOf(services: readonly ServiceLook[], part: GaugeName, whole: GaugeName): number | null {
  return share(sumOf(gaugeSeries(services, part)), sumOf(gaugeSeries(services, whole)));
}

/** Of GPUs by NVML; without one how much of the time an engine was computing, of the busiest. */
function deviceUse({ services, growth }: FigureSources): number | null {
  const gpus = gaugeSeries(services, 'dispatch_gpu_utilization_ratio');
  if (gpus.length > 0) return sumOf(gpus) / gpus.length;
  const phases = ['or', 'etr'].map((phase) =>
    growth.rate('dispatch_device_busy_seconds_total', (labels) => labels['phase'] === phase),
  );
  if (phases.includes(null) || gaugeSeries(services, 'dispatch_engine_pid').length === 0) return null;
  const engines = gaugeSeries(services, 'dispatch_engine_pid').length;
  return Math.min(1, Math.max(...(phases as number[])) / engines);
}

const phaseIs = (phase: string) => (labels: Series['labels']) => labels['phase'] === phase;
const solved = (labels: Series['labels']): boolean => labels['status'] === 'solved';

export function computeFigures(sources: FigureSources): Figures {
  const { growth, services, shardsWaiting, secondsBehind, atRisk, engineLosses } = sources;
  const phases = 'dispatch_shard_phase_seconds';
  const hasWorker = gaugeSeries(services, 'dispatch_engine_pid').length > 0;
  return {
    ...roundFigures(sources),
    shardRate: hasWorker ? growth.rate('dispatch_shards_finished_total', solved) : null,
    orP99: histogramQuantile(growth.buckets(phases, phaseIs('or')), 0.99),
    etrP99: histogramQuantile(growth.buckets(phases, phaseIs('etr')), 0.99),
    queueWaitP99: histogramQuantile(growth.buckets('dispatch_engine_queue_wait_seconds'), 0.99),
    engineLosses,
    deviceUse: deviceUse(sources),
    gpuMemory: ratioOf(services, 'dispatch_gpu_device_used_bytes', 'dispatch_gpu_device_size_bytes'),
    poolUse: ratioOf(services, 'dispatch_data_plane_pool_used_bytes', 'dispatch_data_plane_pool_bytes'),
    shardsWaiting,
    secondsBehind,
    atRisk,
    fallbackRate: hasWorker ? growth.rate('dispatch_data_plane_fallbacks_total') : null,
  };
}
