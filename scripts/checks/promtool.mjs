#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { missingReason } from '../setup/or-say-why.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { skip } from './skip.mjs';

/** `promtool check` and `promtool test` over ops/prometheus. */
const folder = join(projectRoot, 'ops', 'prometheus');
const program = join(placesOf().toolchain, 'prometheus', 'promtool');

function promtool(...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) console.error(`promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return status === 0;
}

const files = (name) => readdirSync(join(folder, name)).map((file) => join(name, file));

if (!existsSync(program)) skip(`no promtool: ${missingReason(placesOf(), 'prometheus')}`);
else {
  const results = [
    promtool('check', 'rules', ...files('rules')),
    promtool('check', 'config', '--syntax-only', 'prometheus.yml'),
    promtool('test', 'rules', ...files('tests')),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
