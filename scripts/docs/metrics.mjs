#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import prettier from 'prettier';
import { readFlags } from '../flags.mjs';
import { projectRoot } from '../setup/places.mjs';

const { check } = readFlags('usage: node scripts/docs/metrics.mjs [--check]', { check: { type: 'boolean' } });

/** Writes the tables of docs/metrics.md from the services' events; with --check, fails when they differ. */
const require = createRequire(import.meta.url);
const built = (...path) => require(join(projectRoot, 'dist', ...path));
const { createTelemetry } = built('lib', 'telemetry.js');

const services = [
  ['ingest', built('services', 'ingest', 'events.js').ingestEvents],
  ['inference-worker', built('services', 'inference-worker', 'events.js').workerEvents],
  ['aggregator', built('services', 'aggregator', 'events.js').aggregatorEvents],
  ['ops', built('services', 'ops', 'events.js').opsEvents],
];

/** Those that no event writes. */
const more = {
  'All services': [
    ['dispatch_build_info', 'gauge', '`version`, `commit`', '1; which code this is.'],
    [
      'dispatch_ready',
      'gauge',
      '`check`',
      '1 while the check of `/readyz` passes; a process is ready when all do.',
    ],
    [
      'dispatch_tls_certificate_end_timestamp_seconds',
      'gauge',
      '',
      "When the certificate of the service's ports ends; only with TLS.",
    ],
    [
      'dispatch_tls_changes_total',
      'counter',
      '',
      'Changes of certificates and keys that were taken, for connections from then on.',
    ],
    [
      'dispatch_tls_changes_refused_total',
      'counter',
      '',
      'Changes of certificates and keys that could not be taken; the old ones hold.',
    ],
    [
      'dispatch_password_changes_total',
      'counter',
      '',
      'Changes of files of passwords that were taken, for connections from then on.',
    ],
    [
      'dispatch_password_changes_refused_total',
      'counter',
      '',
      'Changes of files of passwords that could not be taken; the old ones hold.',
    ],
    ['dispatch_log_lines_dropped_total', 'counter', '', 'Log lines for which there was no room.'],
    [
      'dispatch_trace_spans_total',
      'counter',
      '`result`: exported, failed, dropped',
      'Spans for OpenTelemetry, while it is configured.',
    ],
    [
      'dispatch_traces_sampled_total',
      'counter',
      '`sampled`: true, false',
      'Rounds and shards by whether they are traced, while OpenTelemetry is configured.',
    ],
    ['process_*, nodejs_*', '', '', "prom-client's metrics of the process."],
  ],
  ingest: [
    [
      'dispatch_round_needed_lead_seconds',
      'gauge',
      '',
      'Rounds with less time than this to their deadline are refused at present.',
    ],
    ['dispatch_decision_streams_open', 'gauge', '', 'Streams of decisions that are open.'],
    ['dispatch_decision_waits_open', 'gauge', '', 'Requests that wait for a decision.'],
  ],
  'inference-worker': [
    ['dispatch_engine_up', 'gauge', '`engine`', '1 while an engine takes requests.'],
    [
      'dispatch_engine_unconfined',
      'gauge',
      '`engine`',
      '1 while an engine runs that is less confined than ROUNDHOUSE_ENGINE_CONFINEMENT asks for.',
    ],
    [
      'nv_inference_*, nv_pinned_memory_pool_*',
      '',
      '`model`, `version`, `engine`',
      "TritonCore's own, of the active engines; 1,000 series at most. They begin at 0 with each engine.",
    ],
  ],
  aggregator: [['dispatch_rounds_open', 'gauge', '', 'Rounds between their manifest and their decision.']],
};
const ofAll = new Set(more['All services'].map(([name]) => name));
const mostValues = 8;

const cell = (text) => text.replaceAll('|', '\\|');

function labelText({ name, isClosed, values, size }) {
  if (!isClosed) return `\`${name}\` (≤ ${size - 1})`;
  return values.length > mostValues ? `\`${name}\`` : `\`${name}\`: ${values.join(', ')}`;
}

function rowsOf(make, service) {
  const telemetry = createTelemetry({ service, logLevel: 'silent' });
  make(telemetry);
  return telemetry.registry
    .listed()
    .filter(({ name }) => !ofAll.has(name))
    .map(({ name, kind, help, space }) => [name, kind, space.listed().map(labelText).join('; '), help]);
}

function table(title, rows) {
  const lines = rows.map(([name, kind, labels, help]) => {
    const names = name
      .split(', ')
      .map((one) => `\`${one}\``)
      .join(', ');
    return `| ${names} | ${kind} | ${cell(labels)} | ${cell(help)} |`;
  });
  const head = '| metric | type | labels | meaning |\n| --- | --- | --- | --- |';
  return `## ${title}\n\n${head}\n${lines.join('\n')}\n`;
}

const tables = [
  table('All services', more['All services']),
  ...services.map(([name, make]) => table(name, [...rowsOf(make, name), ...(more[name] ?? [])])),
];

const file = join(projectRoot, 'docs', 'metrics.md');
const before = readFileSync(file, 'utf8');
const [, head, tail] = /^(.*<!-- metrics: begin[^>]*-->\n).*(<!-- metrics: end -->.*)$/s.exec(before);
const options = { ...(await prettier.resolveConfig(file)), parser: 'markdown' };
const text = await prettier.format(`${head}\n${tables.join('\n')}\n${tail}`, options);

if (!check) writeFileSync(file, text);
else if (before !== text) {
  console.error('docs/metrics.md is not what the events say: run "npm run docs" and commit it');
  process.exitCode = 1;
}
