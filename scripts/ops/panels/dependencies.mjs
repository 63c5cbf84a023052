import { rate } from './queries.mjs';

export const dependencies = {
  uid: 'roundhouse-dependencies',
  title: 'Roundhouse: Kafka, Redis, processes',
  rows: [
    {
      title: 'Kafka',
      panels: [
        {
          title: 'Lag',
          unit: 'short',
          queries: { '{{consumergroup}} {{topic}}': 'dispatch:consumer_lag:sum' },
        },
        {
          title: 'Lag by partition',
          unit: 'short',
          queries: { '{{topic}} {{partition}}': 'sum by (topic, partition) (kafka_consumergroup_lag)' },
        },
        {
          title: 'Written/s',
          unit: 'short',
          queries: {
            '{{topic}}': 'sum by (topic) (rate(kafka_topic_partition_current_offset[$__rate_interval]))',
          },
        },
        { title: 'Members', unit: 'short', queries: { '{{consumergroup}}': 'kafka_consumergroup_members' } },
        {
          title: 'Dead letters/s',
          unit: 'short',
          queries: { '{{service}} {{code}}': rate('dispatch_dead_letters_total', 'service, code') },
        },
        { title: 'Clock skew', unit: 's', queries: { '{{instance}}': 'dispatch_clock_skew_seconds' } },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'CPU',
          unit: 'short',
          queries: {
            '{{instance}}': 'rate(process_cpu_seconds_total{job=~"roundhouse-.+"}[$__rate_interval])',
          },
        },
        {
          title: 'Resident memory',
          unit: 'bytes',
          queries: { '{{instance}}': 'process_resident_memory_bytes{job=~"roundhouse-.+"}' },
        },
        {
          title: 'Event loop lag, p99',
          unit: 's',
          queries: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job=~"roundhouse-.+"}' },
        },
        {
          title: 'File descriptors',
          unit: 'short',
          queries: { '{{instance}}': 'process_open_fds{job=~"roundhouse-.+"}' },
        },
        {
          title: 'Scrape',
          unit: 's',
          queries: { '{{instance}}': 'scrape_duration_seconds{job=~"roundhouse-.+"}' },
        },
        {
          title: 'Series',
          unit: 'short',
          queries: { '{{instance}}': 'scrape_samples_scraped{job=~"roundhouse-.+"}' },
        },
      ],
    },
  ],
};
