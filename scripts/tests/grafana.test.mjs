import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { schemaFaults } from '../checks/grafana.mjs';
import { missingReason } from '../setup/or-say-why.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';

const places = placesOf();
const skip = existsSync(join(places.toolchain, 'grafana')) ? false : missingReason(places, 'grafana');
const dashboard = () =>
  JSON.parse(readFileSync(join(projectRoot, 'ops', 'grafana', 'dashboards', 'overview.json'), 'utf8'));

function faultsOf(board) {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-dashboard-'));
  const file = join(folder, 'board.json');
  writeFileSync(file, JSON.stringify(board));
  const faults = schemaFaults([file]);
  rmSync(folder, { recursive: true });
  return faults;
}

test("a dashboard by Grafana's schema has no faults", { skip }, () =>
  assert.equal(faultsOf(dashboard()), ''),
);

test('an unknown field, a missing one and a wrong type are named', { skip }, () => {
  const board = dashboard();
  const panel = board.panels.find(({ type }) => type === 'timeseries');
  panel.options.legend.position = 'bottom';
  delete panel.options.tooltip.mode;
  board.refresh = 10;
  const faults = faultsOf(board);
  assert.match(faults, /unexpected field 'position'/);
  assert.match(faults, /tooltip\.mode: required field is missing/);
  assert.match(faults, /refresh/);
});
