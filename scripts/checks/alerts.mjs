#!/usr/bin/env node
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboardExpressions } from '../ops/dashboards.mjs';
import { projectRoot } from '../setup/places.mjs';

const headings = ['## What it means', '## What to look at', '## Causes and what to do'];

/**
 * What promtool can't know, one sentence for each fault: a page in the runbook for every alert and no other page, a test
 * in which it fires and one in which it doesn't, and in rules and dashboards only metrics that docs/metrics.md has or a rule records.
 */
export function alertFaults({ rules, tests, pages, metricsDoc, panels = [] }) {
  const alerts = rules.filter((rule) => rule.alert !== undefined);
  const names = new Set(alerts.map(({ alert }) => alert));
  const strayPages = Object.keys(pages).filter((name) => name !== 'README' && !names.has(name));
  return [
    ...alerts.flatMap((rule) => [
      ...formFaults(rule),
      ...pageFaults(rule, pages),
      ...testFaults(rule, tests),
    ]),
    ...strayPages.map((name) => `docs/runbook/${name}.md: no alert of that name`),
    ...unknownMetrics(
      rules.map(({ expr }) => expr),
      metricsDoc,
    ).map((name) => `a rule asks for ${name}, which docs/metrics.md does not have`),
    ...unknownMetrics(panels, metricsDoc).map(
      (name) => `a panel asks for ${name}, which docs/metrics.md does not have`,
    ),
    ...unrecorded(rules, panels).map((name) => `${name} is used, and no rule records it`),
  ];
}

function formFaults({ alert, labels, annotations = {} }) {
  const missing = ['summary', 'description', 'runbook'].filter((key) => !annotations[key]);
  const faults = missing.map((key) => `${alert}: no ${key}`);
  if (!['critical', 'warning'].includes(labels?.severity))
    faults.push(`${alert}: severity ${labels?.severity}`);
  const page = `docs/runbook/${alert}.md`;
  return annotations.runbook === page ? faults : [...faults, `${alert}: its runbook is not ${page}`];
}

function pageFaults({ alert }, pages) {
  const text = pages[alert];
  if (text === undefined) return [`${alert}: docs/runbook/${alert}.md is missing`];
  const faults = [`# ${alert}\n`, ...headings].filter((part) => !text.includes(part));
  if (!pages.README?.includes(`(${alert}.md)`)) faults.push('a line in README.md');
  return faults.map((part) => `docs/runbook/${alert}.md lacks ${part.trim()}`);
}

function testFaults({ alert }, tests) {
  const cases = tests.filter(({ alertname }) => alertname === alert);
  const fires = cases.some(({ exp_alerts: expected }) => expected?.length > 0);
  const rests = cases.some(({ exp_alerts: expected }) => !expected?.length);
  return [
    ...(fires ? [] : [`${alert}: no test in which it fires`]),
    ...(rests ? [] : [`${alert}: no test in which it does not`]),
  ];
}

/** Names of ours and of kafka_exporter and Triton; `dispatch:…` are recorded by rules. */
export function unknownMetrics(expressions, metricsDoc) {
  const documented = [...metricsDoc.matchAll(/`([a-z_*…]+)[`{]/g)].map(([, name]) => name);
  const patterns = documented.map((name) => new RegExp(`^${name.replace(/^…|\*/g, '[a-z_]*')}$`));
  const used = new Set(expressions.flatMap((text) => text.match(/\b(dispatch|kafka|nv)_[a-z_]+/g) ?? []));
  const known = (name) => patterns.some((pattern) => pattern.test(name));
  return [...used].filter((name) => !known(name) && !known(name.replace(/_(bucket|sum|count)$/, '')));
}

/** Events of the log and settings that pages name and no source has; `known` is all sources as one text. */
export function unknownNames(pages, known) {
  return Object.entries(pages).flatMap(([page, text]) => {
    const names = text.match(/(?<=`)([A-Z][a-z]+){2,}(?=`)|\bROUNDHOUSE_[A-Z_]*[A-Z]\b/g) ?? [];
    return [...new Set(names)]
      .filter((name) => !known.includes(name))
      .map((name) => `docs/runbook/${page}.md names ${name}, which no source has`);
  });
}

function unrecorded(rules, panels) {
  const recorded = new Set(rules.map(({ record }) => record));
  const texts = [...rules.map(({ expr }) => expr), ...panels];
  const used = new Set(texts.flatMap((text) => text.match(/\bdispatch:[a-z_:0-9]+/g) ?? []));
  return [...used].filter((name) => !recorded.has(name));
}

function sources() {
  const names = ['services', 'lib'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true }).map((name) => join(folder, name)),
  );
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(name))
    .join('\n');
}

const read = (...path) => readFileSync(join(projectRoot, ...path), 'utf8');
const yamls = (...path) => readdirSync(join(projectRoot, ...path)).map((name) => parse(read(...path, name)));

if (process.argv[1]?.endsWith('alerts.mjs')) {
  const pageNames = readdirSync(join(projectRoot, 'docs', 'runbook')).map((name) =>
    name.replace(/\.md$/, ''),
  );
  const pages = Object.fromEntries(pageNames.map((name) => [name, read('docs', 'runbook', `${name}.md`)]));
  const faults = alertFaults({
    rules: yamls('ops', 'prometheus', 'rules').flatMap(({ groups }) =>
      groups.flatMap((group) => group.rules),
    ),
    tests: yamls('ops', 'prometheus', 'tests').flatMap((file) =>
      file.tests.flatMap((test) => test.alert_rule_test ?? []),
    ),
    pages,
    metricsDoc: read('docs', 'metrics.md'),
    panels: dashboardExpressions(),
  });
  faults.push(...unknownNames(pages, sources()));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
