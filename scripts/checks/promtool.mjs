#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { dashboardExpressions } from '../ops/dashboards.mjs';
import { missingReason } from '../setup/or-say-why.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { skip } from './skip.mjs';

/** `promtool check` and `promtool test` over ops/prometheus, and the queries of the dashboards. */
const folder = join(projectRoot, 'ops', 'prometheus');
const program = join(placesOf().toolchain, 'prometheus', 'promtool');

function promtool(...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) console.error(`promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return status === 0;
}

/** Grafana's queries are PromQL as well: as rules of a file of their own. */
function checkPanels() {
  const rules = dashboardExpressions().map((expr, index) => ({ record: `panel:${index}`, expr }));
  const file = join(mkdtempSync(join(tmpdir(), 'roundhouse-panels-')), 'panels.yml');
  writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }));
  const isFine = promtool('check', 'rules', file);
  rmSync(dirname(file), { recursive: true });
  return isFine;
}

const files = (name) => readdirSync(join(folder, name)).map((file) => join(name, file));

if (!existsSync(program)) skip(`no promtool: ${missingReason(placesOf(), 'prometheus')}`);
else {
  const results = [
    promtool('check', 'rules', ...files('rules')),
    promtool('check', 'config', '--syntax-only', 'prometheus.yml'),
    promtool('test', 'rules', ...files('tests')),
    checkPanels(),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
