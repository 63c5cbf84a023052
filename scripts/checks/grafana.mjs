#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { missingReason } from '../setup/or-say-why.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { skip } from './skip.mjs';

/** The dashboards against Grafana's schema: no field that it lacks, none that it asks for missing. */
const program = join(placesOf().toolchain, 'grafana', 'dashboards');
const folder = join(projectRoot, 'ops', 'grafana', 'dashboards');

/** What the schema has against a file; empty where it takes it. */
export function schemaFaults(files) {
  const { status, stdout, stderr } = spawnSync(program, files, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

if (process.argv[1]?.endsWith('grafana.mjs')) {
  if (!existsSync(program)) skip(`no schema of Grafana: ${missingReason(placesOf(), 'grafana')}`);
  else {
    const faults = schemaFaults(readdirSync(folder).map((name) => join(folder, name)));
    if (faults !== '') console.error(faults);
    process.exitCode = faults === '' ? 0 : 1;
  }
}
