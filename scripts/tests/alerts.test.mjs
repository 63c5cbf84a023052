import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertFaults, unknownMetrics, unknownNames } from '../checks/alerts.mjs';

const page = '# A\n\n## What it means\n## What to look at\n## Causes and what to do\n';
const rule = {
  alert: 'A',
  expr: 'rate(dispatch_x_total[5m]) > 0',
  labels: { severity: 'warning' },
  annotations: { summary: 's', description: 'd', runbook: 'docs/runbook/A.md' },
};
const good = {
  rules: [rule, { record: 'r', expr: 'dispatch_y_seconds_bucket' }],
  tests: [
    { alertname: 'A', exp_alerts: [] },
    { alertname: 'A', exp_alerts: [{}] },
  ],
  pages: { README: '[A](A.md)', A: page },
  metricsDoc: '`dispatch_x_total`, `dispatch_y_seconds`',
};

test('alerts with page and tests have no faults', () => assert.deepEqual(alertFaults(good), []));

test('an alert without page, tests, severity or annotations is named for each', () => {
  const bare = { alert: 'B', expr: '1' };
  assert.deepEqual(alertFaults({ ...good, rules: [...good.rules, bare] }), [
    'B: no summary',
    'B: no description',
    'B: no runbook',
    'B: severity undefined',
    'B: its runbook is not docs/runbook/B.md',
    'B: docs/runbook/B.md is missing',
    'B: no test in which it fires',
    'B: no test in which it does not',
  ]);
});

test('a panel with an unknown metric, and a name that nothing records, are named', () => {
  const panels = ['dispatch_x_total + dispatch_z', 'dispatch:none:sum'];
  const recorded = { record: 'dispatch:y:sum', expr: 'dispatch_x_total + dispatch:y:sum' };
  assert.deepEqual(alertFaults({ ...good, rules: [rule, recorded], panels }), [
    'a panel asks for dispatch_z, which docs/metrics.md does not have',
    'dispatch:none:sum is used, and no rule records it',
  ]);
});

test('a page without an alert, and one that lacks a part, are named', () => {
  const pages = { README: '', A: page.replace('## What to look at', ''), Gone: '' };
  assert.deepEqual(alertFaults({ ...good, pages }), [
    'docs/runbook/A.md lacks ## What to look at',
    'docs/runbook/A.md lacks a line in README.md',
    'docs/runbook/Gone.md: no alert of that name',
  ]);
});

test('metrics that are not documented are named; histograms, wildcards and shortened names are known', () => {
  const doc = '`dispatch_a_seconds`{…} `dispatch_ucx_*_total` `…_losses_total` `dispatch_b_total{path}`';
  const asked = [
    'dispatch_a_seconds_bucket + dispatch_ucx_losses_total + dispatch_data_plane_losses_total',
    'dispatch_b_total + dispatch_absent_total + dispatch:recorded:sum + kafka_absent{topic="dispatch.shards"}',
  ];
  assert.deepEqual(unknownMetrics(asked, doc), ['dispatch_absent_total', 'kafka_absent']);
});

test('events and settings that no source has are named with their page', () => {
  const page = '`RoundClosed` and `RoundGone`, `ROUNDHOUSE_A` and ROUNDHOUSE_B; `Redis` is neither';
  assert.deepEqual(unknownNames({ A: page }, 'RoundClosed: event, ROUNDHOUSE_A'), [
    'docs/runbook/A.md names RoundGone, which no source has',
    'docs/runbook/A.md names ROUNDHOUSE_B, which no source has',
  ]);
});
