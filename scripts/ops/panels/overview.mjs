import { quantiles, rate } from './queries.mjs';

export const overview = {
  uid: 'roundhouse-overview',
  title: 'Roundhouse: overview',
  rows: [
    {
      title: 'The twelve figures',
      stats: true,
      panels: [
        {
          title: 'Round success',
          unit: 'percentunit',
          green: 0.999,
          queries: { rate: 'dispatch:round_success:ratio_rate5m' },
        },
        { title: 'Decision p50', unit: 's', queries: { p50: 'dispatch:decision_latency_seconds:p50_5m' } },
        { title: 'Decision p99', unit: 's', queries: { p99: 'dispatch:decision_latency_seconds:p99_5m' } },
        {
          title: 'Coverage',
          unit: 'percentunit',
          green: 0.99,
          queries: { coverage: 'dispatch:round_coverage:ratio_rate5m' },
        },
        {
          title: 'Deadline closes',
          unit: 'percentunit',
          red: 0.05,
          queries: { share: 'dispatch:deadline_closes:ratio_rate5m' },
        },
        { title: 'Shards/s', unit: 'short', queries: { solved: 'dispatch:shards:rate5m{status="solved"}' } },
        {
          title: 'OR, ETR p99',
          unit: 's',
          queries: { '{{phase}}': 'dispatch:phase_seconds:p99_5m{phase=~"or|etr"}' },
        },
        {
          title: 'Queue wait p99',
          unit: 's',
          red: 0.5,
          queries: { p99: 'dispatch:queue_wait_seconds:p99_5m' },
        },
        {
          title: 'Engines lost, 5 min',
          unit: 'short',
          red: 1,
          queries: { lost: 'dispatch:engine_losses:increase5m' },
        },
        {
          title: 'GPU or device use',
          unit: 'percentunit',
          queries: {
            '{{instance}} gpu {{gpu}}': 'dispatch_gpu_utilization_ratio',
            '{{instance}} {{engine}}': 'dispatch:device_busy:ratio_rate5m',
          },
        },
        {
          title: 'GPU memory',
          unit: 'percentunit',
          red: 0.95,
          queries: { '{{instance}} {{gpu}}': 'dispatch:gpu_memory:ratio' },
        },
        {
          title: 'Shared-memory pool',
          unit: 'percentunit',
          red: 0.9,
          queries: { '{{instance}} {{engine}}': 'dispatch:pool_use:ratio' },
        },
        { title: 'Seconds behind', unit: 's', red: 5, queries: { behind: 'dispatch_seconds_behind' } },
        { title: 'Rounds at risk', unit: 'short', red: 1, queries: { rounds: 'dispatch_rounds_at_risk' } },
        {
          title: 'Data-plane fallbacks/s',
          unit: 'short',
          red: 1,
          queries: { '{{reason}}': 'dispatch:data_plane_fallbacks:rate5m' },
        },
      ],
    },
    {
      title: 'Now',
      panels: [
        {
          title: 'Rounds/s',
          unit: 'short',
          queries: {
            accepted: rate('dispatch_rounds_accepted_total', 'service'),
            'decided {{in_time}}': rate('dispatch_decisions_published_total', 'in_time'),
            'refused {{code}}': rate('dispatch_rounds_refused_total', 'code'),
          },
        },
        { title: 'Decision latency', unit: 's', queries: quantiles('dispatch_decision_latency_seconds') },
        {
          title: 'Waiting, open, at risk',
          unit: 'short',
          queries: {
            waiting: 'dispatch_rounds_waiting',
            open: 'sum(dispatch_rounds_open)',
            'at risk': 'dispatch_rounds_at_risk',
          },
        },
        {
          title: 'Ready instances',
          unit: 'short',
          queries: { '{{service}}': 'sum by (service) (min by (service, instance) (dispatch_ready))' },
        },
        {
          title: 'Outages',
          unit: 'short',
          queries: { '{{outage}}': 'max by (outage) (dispatch_outage_active)' },
        },
        { title: 'Alerts', unit: 'short', queries: { '{{alertname}}': 'ALERTS{alertstate="firing"}' } },
      ],
    },
  ],
};
