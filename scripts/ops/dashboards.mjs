#!/usr/bin/env node
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../flags.mjs';
import { projectRoot } from '../setup/places.mjs';
import * as described from './panels/index.mjs';

/** node scripts/ops/dashboards.mjs [--check]: ops/grafana/dashboards out of panels/. */
const datasource = { type: 'prometheus', uid: 'prometheus' };
const grid = 24;

function targetsOf(queries) {
  return Object.entries(queries).map(([legendFormat, expr], index) => {
    return {
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat,
      exemplar: /_bucket/.test(expr),
    };
  });
}

/** Green above, or red from a limit on. */
function thresholdsOf({ green, red }) {
  const steps =
    green !== undefined
      ? [
          { color: 'red', value: null },
          { color: 'green', value: green },
        ]
      : [{ color: 'green', value: null }, ...(red === undefined ? [] : [{ color: 'red', value: red }])];
  return { mode: 'absolute', steps };
}

/** Whole, as Grafana's schema asks (grafana-schema.mjs), so that no version's defaults have a say. */
const statOptions = {
  graphMode: 'area',
  colorMode: 'value',
  justifyMode: 'auto',
  textMode: 'auto',
  wideLayout: true,
  showPercentChange: false,
  percentChangeColorMode: 'standard',
  orientation: 'auto',
  reduceOptions: { calcs: ['lastNotNull'] },
};
const seriesOptions = {
  tooltip: { mode: 'multi', sort: 'desc' },
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
};
const links = [
  {
    type: 'dashboards',
    tags: ['roundhouse'],
    title: 'Roundhouse',
    icon: 'external link',
    tooltip: '',
    asDropdown: true,
    keepTime: true,
    includeVars: false,
    targetBlank: false,
  },
];

function panelOf(panel, isStat, gridPos, id) {
  const defaults = { unit: panel.unit, min: 0, thresholds: thresholdsOf(panel) };
  return {
    id,
    type: isStat ? 'stat' : 'timeseries',
    title: panel.title,
    datasource,
    gridPos,
    targets: targetsOf(panel.queries),
    fieldConfig: { defaults, overrides: [] },
    options: isStat ? statOptions : seriesOptions,
  };
}

function panelsOf(rows) {
  const panels = [];
  let y = 0;
  for (const { title, stats = false, panels: all } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: grid, h: 1 },
      panels: [],
    });
    y += 1;
    const [width, height] = stats ? [4, 4] : [8, 8];
    const aRow = grid / width;
    for (const [index, panel] of all.entries()) {
      const place = {
        x: (index % aRow) * width,
        y: y + Math.floor(index / aRow) * height,
        w: width,
        h: height,
      };
      panels.push(panelOf(panel, stats, place, panels.length + 1));
    }
    y += Math.ceil(all.length / aRow) * height;
  }
  return panels;
}

export function dashboardOf({ uid, title, rows }) {
  return {
    uid,
    title,
    tags: ['roundhouse'],
    schemaVersion: 39,
    editable: false,
    refresh: '10s',
    time: { from: 'now-30m', to: 'now' },
    links,
    templating: { list: [] },
    annotations: { list: [] },
    panels: panelsOf(rows),
  };
}

/** All PromQL of all dashboards, with Grafana's interval as a duration. */
export function dashboardExpressions() {
  const panels = Object.values(described).flatMap(({ rows }) => rows.flatMap((row) => row.panels));
  const queries = panels.flatMap((panel) => Object.values(panel.queries));
  return queries.map((expr) => expr.replaceAll('$__rate_interval', '1m'));
}

function main(isCheck) {
  const folder = join(projectRoot, 'ops', 'grafana', 'dashboards');
  mkdirSync(folder, { recursive: true });
  for (const [name, description] of Object.entries(described)) {
    const file = join(folder, `${name}.json`);
    const text = `${JSON.stringify(dashboardOf(description), null, 2)}\n`;
    const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text;
    if (isCurrent) continue;
    if (!isCheck) writeFileSync(file, text);
    else {
      console.error(`${name}.json is not current: run node scripts/ops/dashboards.mjs`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1]?.endsWith('dashboards.mjs'))
  main(readFlags('usage: node scripts/ops/dashboards.mjs [--check]', { check: { type: 'boolean' } }).check);
