import { quantile, quantiles, rate } from './queries.mjs';

export const engines = {
  uid: 'roundhouse-engines',
  title: 'Roundhouse: workers and engines',
  rows: [
    {
      title: 'Shards',
      panels: [
        {
          title: 'Shards/s',
          unit: 'short',
          queries: { '{{status}} {{code}}': rate('dispatch_shards_finished_total', 'status, code') },
        },
        { title: 'Shard', unit: 's', queries: quantiles('dispatch_shard_seconds') },
        {
          title: 'Phases, p99',
          unit: 's',
          queries: { '{{phase}}': quantile(0.99, 'dispatch_shard_phase_seconds', 'phase') },
        },
        {
          title: 'Device busy',
          unit: 'percentunit',
          queries: {
            '{{instance}} {{engine}} {{phase}}': rate(
              'dispatch_device_busy_seconds_total',
              'instance, engine, phase',
            ),
          },
        },
      ],
    },
    {
      title: 'Engines',
      panels: [
        { title: 'Up', unit: 'short', queries: { '{{instance}} {{engine}}': 'dispatch_engine_up' } },
        {
          title: 'Incidents, 5 min',
          unit: 'short',
          queries: {
            '{{kind}} {{role}}': 'sum by (kind, role) (increase(dispatch_engine_incidents_total[5m]))',
          },
        },
        { title: 'Down', unit: 's', queries: quantiles('dispatch_engine_down_seconds') },
        {
          title: 'Queue',
          unit: 'short',
          queries: {
            'queued {{priority}}': 'sum by (priority) (dispatch_engine_queued)',
            'in core': 'sum(dispatch_engine_in_core)',
          },
        },
        {
          title: 'Queue wait, p99',
          unit: 's',
          queries: { '{{priority}}': quantile(0.99, 'dispatch_engine_queue_wait_seconds', 'priority') },
        },
        {
          title: 'Admissions/s',
          unit: 'short',
          queries: { '{{end}}': rate('dispatch_engine_admissions_total', 'end') },
        },
        {
          title: 'Requests of the core/s',
          unit: 'short',
          queries: {
            '{{model}} {{version}}': rate('nv_inference_request_success', 'model, version'),
            'failed {{model}} {{version}}': rate('nv_inference_request_failure', 'model, version'),
          },
        },
        {
          title: 'GPU memory',
          unit: 'bytes',
          queries: {
            'used {{instance}} {{gpu}}': 'dispatch_gpu_device_used_bytes',
            'ours {{instance}} {{gpu}}': 'dispatch_gpu_memory_bytes',
          },
        },
      ],
    },
    {
      title: 'Between',
      panels: [
        {
          title: 'Data plane/s',
          unit: 'short',
          queries: {
            '{{path}}': rate('dispatch_data_plane_requests_total', 'path'),
            'gRPC: {{reason}}': rate('dispatch_data_plane_fallbacks_total', 'reason'),
            waited: rate('dispatch_data_plane_waits_total', 'service'),
          },
        },
        {
          title: 'Pool',
          unit: 'bytes',
          queries: { '{{instance}} {{engine}}': 'dispatch_data_plane_pool_used_bytes' },
        },
        {
          title: 'Remote shards/s',
          unit: 'short',
          queries: { '{{name}} {{end}}': rate('dispatch_remote_attempts_total', 'name, end') },
        },
        {
          title: 'Scheduler',
          unit: 'short',
          queries: {
            waiting: 'sum(dispatch_scheduler_waiting)',
            'in flight': 'sum(dispatch_scheduler_in_flight)',
          },
        },
      ],
    },
  ],
};
